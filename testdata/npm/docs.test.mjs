// The page about the interface in a real browser: it shows the operations,
// asks for nothing from elsewhere, and its policy blocks nothing it needs.
import { join } from "node:path";
import test from "node:test";
import assert from "node:assert/strict";
import { chromium } from "playwright-core";
import { serve } from "./serve.mjs";

const flags = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];

for (const [name, options] of Object.entries({
  "desktop, light": { viewport: { width: 1280, height: 900 }, colorScheme: "light" },
  phone: { viewport: { width: 390, height: 844 }, colorScheme: "light" },
})) {
  test(`docs on ${name}`, async (t) => {
    const { url } = await serve(t);
    const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: flags });
    t.after(() => browser.close());
    const page = await browser.newPage(options);
    const foreign = [];
    const errors = [];
    page.on("request", (r) => !r.url().startsWith(url) && !/^(data|blob):/.test(r.url()) && foreign.push(r.url()));
    page.on("pageerror", (e) => errors.push(e.message));
    const answer = await page.goto(url + "/docs");
    assert.equal(answer.status(), 200);
    await page.getByRole("heading", { name: "Search and list assets" }).first().waitFor();
    assert.deepEqual(errors, []);
    // Redoc asks for its maker's logo; the policy must have stopped it.
    assert.deepEqual(foreign.filter((u) => !u.includes("cdn.redoc.ly")), []);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    assert.ok(wide <= 0, `the page is ${wide} px too wide`);
    if (process.env.SCREENSHOTS) await page.screenshot({ path: join(process.env.SCREENSHOTS, name.replace(/\W+/g, "-") + ".png") });
  });
}
