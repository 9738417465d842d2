// A published consumer of oEmbed finds how to show a video that is embedded, from the address
// of its player alone.
import { readFileSync } from "node:fs";
import test from "node:test";
import assert from "node:assert/strict";
import { extract } from "@extractus/oembed-extractor";
import { serve } from "./serve.mjs";

test("a consumer of oEmbed discovers the player", { timeout: 180_000 }, async (t) => {
  const { url, token } = await serve(t);
  const call = async (path, body, headers) => {
    const answer = await fetch(url + "/api/v1" + path, { method: body === undefined ? "GET" : "POST", body,
      headers: { Authorization: "Bearer " + token, ...headers } });
    assert.ok(answer.ok, `${path}: ${answer.status} ${answer.ok || await answer.text()}`);
    return (await answer.json()).data;
  };
  const json = { "Content-Type": "application/json" };
  const batch = await call("/upload-batches", "{}", json);
  const form = new FormData();
  form.append("file", new Blob([readFileSync("../../app/media/testdata/media/a.mp4")]), "a.mp4");
  await call(`/upload-batches/${batch.id}/files`, form);
  await call(`/upload-batches/${batch.id}/complete`, "");
  while ((await call(`/upload-batches/${batch.id}`)).status === "processing") {
    await new Promise((next) => setTimeout(next, 1000)); // within the rate of a token
  }
  const [file] = await call(`/upload-batches/${batch.id}/files`);
  const embed = await call(`/assets/${file.gaid}/embed`, JSON.stringify({ width: 800, height: 400 }), json);

  const found = await extract(embed.url);
  assert.equal(found.type, "video");
  assert.equal(found.version, "1.0");
  assert.deepEqual([found.width, found.height], [800, 400]);
  assert.equal(found.html, embed.html);
  assert.equal(found.title, "Halves");
  const small = await extract(embed.url, { maxwidth: 400 });
  assert.deepEqual([small.width, small.height], [400, 200]);
});
