// Pictures, documents and shares in the viewers of museums and archives, on a page of another origin, in a real browser.
import { createServer } from "node:http";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { deflateSync, crc32 } from "node:zlib";
import test from "node:test";
import assert from "node:assert/strict";
import { chromium } from "playwright-core";
import { presentation3StrictUpgrade } from "@iiif/parser/strict";
import { serve } from "./serve.mjs";

const flags = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];
const modules = join(import.meta.dirname, "node_modules");
const scripts = {
  "/openseadragon.js": "openseadragon/build/openseadragon/openseadragon.min.js",
  "/mirador.js": "mirador/dist/mirador.min.js",
};

const red = [200, 30, 30], green = [30, 160, 40], blue = [30, 40, 200];

// png is a picture that is red on its left and blue on its right.
function png(width, height) {
  const row = Buffer.concat([Buffer.from([0]), ...Array.from({ length: width }, (_, x) => Buffer.from(x < width / 2 ? red : blue))]);
  const chunk = (kind, data) => {
    const body = Buffer.concat([Buffer.from(kind), data]);
    const out = Buffer.alloc(body.length + 8);
    out.writeUInt32BE(data.length);
    body.copy(out, 4);
    out.writeUInt32BE(crc32(body), body.length + 4);
    return out;
  };
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width);
  head.writeUInt32BE(height, 4);
  head.set([8, 2, 0, 0, 0], 8);
  const pixels = deflateSync(Buffer.concat(Array(height).fill(row)));
  return Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), chunk("IHDR", head), chunk("IDAT", pixels), chunk("IEND", Buffer.alloc(0))]);
}

// pdf is a document with a page of each colour.
function pdf(...colors) {
  const objects = ["<</Type/Catalog/Pages 2 0 R>>", `<</Type/Pages/Count ${colors.length}/Kids[${colors.map((_, i) => `${3 + 2 * i} 0 R`).join(" ")}]>>`];
  colors.forEach((color, i) => {
    const draws = `${color.map((v) => (v / 255).toFixed(4)).join(" ")} rg 0 0 300 400 re f`;
    objects.push(`<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 400]/Contents ${4 + 2 * i} 0 R>>`, `<</Length ${draws.length}>>stream\n${draws}\nendstream`);
  });
  let text = "%PDF-1.4\n";
  const places = objects.map((o, i) => {
    const at = text.length;
    text += `${i + 1} 0 obj\n${o}\nendobj\n`;
    return at;
  });
  const table = text.length;
  text += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n` + places.map((p) => `${String(p).padStart(10, "0")} 00000 n \n`).join("");
  return Buffer.from(text + `trailer<</Size ${objects.length + 1}/Root 1 0 R>>\nstartxref\n${table}\n%%EOF\n`);
}

// library starts a server with a picture and a document, and a page of another origin.
async function library(t) {
  const { url, token } = await serve(t);
  const call = async (method, path, body) => {
    const headers = { authorization: `Bearer ${token}`, ...(body instanceof FormData ? {} : { "content-type": "application/json" }) };
    const answer = await fetch(`${url}/api/v1${path}`, { method, headers, body: body instanceof FormData || !body ? body : JSON.stringify(body) });
    assert.ok(answer.ok, `${method} ${path}: ${answer.status}`);
    return answer.json();
  };
  const batch = (await call("POST", "/upload-batches", { expected_files: 2 })).data.id;
  const form = new FormData();
  form.append("files[]", new Blob([png(1500, 1000)]), "two.png");
  form.append("files[]", new Blob([pdf(red, green, blue)]), "pages.pdf");
  await call("POST", `/upload-batches/${batch}/files`, form);
  let files;
  for (const end = Date.now() + 60_000; ; ) {
    files = (await call("GET", `/upload-batches/${batch}/files`)).data;
    if (files.length === 2 && files.every((f) => f.status === "ready")) break;
    assert.ok(Date.now() < end && !files.some((f) => f.status === "failed"), JSON.stringify(files));
    await new Promise((done) => setTimeout(done, 500));
  }
  const gaids = ["two.png", "pages.pdf"].map((name) => files.find((f) => f.original_filename === name || f.filename === name).gaid);
  await call("PUT", `/assets/${gaids[0]}`, { creator: "Ada", description: "Two <b>halves</b>", usage_terms: "https://creativecommons.org/licenses/by/4.0/" });
  const signed = (await call("POST", "/iiif-urls", { images: gaids.map((gaid) => ({ gaid })) })).data;
  const share = (await call("POST", "/shares", { name: "Press", gaids, allow_download: true, allow_original: true })).data.url;

  const pages = createServer((request, answer) => {
    const script = scripts[request.url];
    answer.setHeader("content-type", script ? "text/javascript" : "text/html");
    answer.end(script ? readFileSync(join(modules, script)) : '<!doctype html><html lang="en"><title>Viewer</title><div id="v" style="position:absolute;inset:0"></div>');
  });
  await new Promise((done) => pages.listen(0, "localhost", done));
  t.after(() => pages.close());
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: flags });
  t.after(() => browser.close());
  const view = async (script) => {
    const page = await browser.newPage({ viewport: { width: 1100, height: 800 } });
    await page.goto(`http://localhost:${pages.address().port}/`);
    await page.addScriptTag({ url: script, type: script === "/mirador.js" ? "module" : "" });
    return page;
  };
  return { view, signed, gaids, shared: share.replace("/s/", "/iiif/s~") };
}

// shows waits until the largest canvas on a page has each colour in as large a part as it should, about.
async function shows(page, wanted) {
  await page.waitForFunction((wanted) => {
    const canvas = [...document.querySelectorAll("canvas")].sort((a, b) => b.width * b.height - a.width * a.height)[0];
    if (!canvas?.width) return false;
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    const counts = wanted.map(() => 0);
    let seen = 0;
    for (let i = 0; i < data.length; i += 4 * 37) {
      wanted.forEach(([color], k) => color.every((v, c) => Math.abs(v - data[i + c]) < 14) && data[i + 3] > 250 && counts[k]++);
      seen++;
    }
    return wanted.every(([, least, most], k) => counts[k] / seen > least && counts[k] / seen < most);
  }, wanted, { timeout: 60_000 });
}

// drawn has OpenSeadragon draw on a canvas that can be read.
const drawn = { drawer: "canvas", crossOriginPolicy: "Anonymous", showNavigationControl: false, animationTime: 0, immediateRender: true };

test("viewers of other origins open what is signed or shared", { timeout: 300_000 }, async (t) => {
  const { view, signed, gaids, shared } = await library(t);

  await t.test("manifests keep to the letter of the Presentation API", async () => {
    for (const url of [...signed.map((s) => s.manifest_url), ...gaids.map((gaid) => `${shared}~${gaid}/manifest.json`)]) {
      const manifest = await (await fetch(url)).json();
      const state = { warnings: [] };
      assert.deepEqual(presentation3StrictUpgrade(structuredClone(manifest), state), manifest);
      assert.deepEqual(state.warnings, []);
    }
  });

  await t.test("OpenSeadragon opens a picture and zooms into it", async () => {
    const page = await view("/openseadragon.js");
    await page.evaluate(([source, options]) => {
      window.viewer = window.OpenSeadragon({ id: "v", tileSources: source, ...options });
    }, [signed[0].info_url, drawn]);
    await shows(page, [[red, 0.3, 0.6], [blue, 0.3, 0.6]]);
    await page.evaluate(() => window.viewer.viewport.fitBounds(new window.OpenSeadragon.Rect(0.7, 0.1, 0.2, 0.2), true));
    await shows(page, [[blue, 0.95, 1.01]]);
    await page.close();
  });

  await t.test("Mirador opens a document and a share", async () => {
    const page = await view("/mirador.js");
    const foreign = [];
    page.on("response", (r) => /\/iiif\//.test(r.url()) && r.status() >= 400 && foreign.push(`${r.status()} ${r.url()}`));
    const open = (window_) => page.evaluate(([window_, drawn]) => {
      document.getElementById("v").replaceChildren();
      globalThis.Mirador.viewer({
        id: "v", windows: [window_], osdConfig: drawn, workspaceControlPanel: { enabled: false },
        window: { sideBarOpen: false, defaultSideBarPanel: "info" }, thumbnailNavigation: { defaultPosition: "off" },
      });
    }, [window_, drawn]);
    await open({ manifestId: signed[1].manifest_url });
    await shows(page, [[red, 0.2, 1.01]]);
    await page.getByRole("button", { name: "Next item" }).click();
    await shows(page, [[green, 0.2, 1.01], [red, -1, 0.01]]);
    if (process.env.SCREENSHOTS) await page.screenshot({ path: join(process.env.SCREENSHOTS, "mirador.png") });

    await page.reload();
    await page.addScriptTag({ url: "/mirador.js", type: "module" });
    await open({ manifestId: `${shared}~${gaids[0]}/manifest.json`, collectionPath: [`${shared}/collection.json`] });
    await shows(page, [[red, 0.2, 0.6], [blue, 0.2, 0.6]]);
    await page.getByRole("button", { name: "Toggle sidebar" }).click();
    await page.getByText("Press", { exact: true }).first().waitFor();
    assert.deepEqual(foreign, []);
  });
});
