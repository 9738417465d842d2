// The API reference and the guide in a real browser, light and dark: they show what they have to, ask no other server for
// anything, and their policy blocks nothing they need.
import { join } from "node:path";
import test from "node:test";
import assert from "node:assert/strict";
import { chromium } from "playwright-core";
import { serve } from "./serve.mjs";

const flags = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];

const views = {
  "desktop, light": { viewport: { width: 1280, height: 900 }, colorScheme: "light" },
  "desktop, dark": { viewport: { width: 1280, height: 900 }, colorScheme: "dark" },
  phone: { viewport: { width: 390, height: 844 }, colorScheme: "light" },
};

// open opens a page and returns what is wrong with it, as far as that shows.
async function open(t, options, path, heading) {
  const { url } = await serve(t);
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: flags });
  t.after(() => browser.close());
  const page = await browser.newPage(options);
  const foreign = [];
  const errors = [];
  page.on("request", (r) => !r.url().startsWith(url) && !/^(data|blob):/.test(r.url()) && foreign.push(r.url()));
  page.on("pageerror", (e) => errors.push(e.message));
  page.on("console", (m) => m.type() === "error" && errors.push(m.text()));
  assert.equal((await page.goto(url + path)).status(), 200);
  await page.getByRole("heading", { name: heading }).first().waitFor();
  assert.deepEqual(errors, []);
  assert.deepEqual(foreign, []);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  assert.ok(wide <= 0, `the page is ${wide} px too wide`);
  const [red] = (await page.evaluate(() => getComputedStyle(document.body).backgroundColor)).match(/\d+/);
  assert.equal(Number(red) < 128, options.colorScheme === "dark", "the background goes with the colour scheme");
  if (process.env.SCREENSHOTS) await page.screenshot({ path: join(process.env.SCREENSHOTS, t.name.replace(/\W+/g, "-") + ".png") });
  return page;
}

for (const [name, options] of Object.entries(views)) {
  test(`reference on ${name}`, async (t) => {
    const page = await open(t, options, "/docs", "Search and list assets");
    await page.getByRole("heading", { name: "API primer" }).waitFor();
  });
  test(`guide on ${name}`, async (t) => {
    const page = await open(t, options, "/docs/guide", "The dal guide");
    await page.getByRole("link", { name: "Search", exact: true }).first().click();
    await page.getByRole("heading", { name: "What you can type" }).waitFor();
    await page.keyboard.press("Tab");
    assert.equal(await page.evaluate(() => document.activeElement.textContent), "Skip to the text");
  });
}
