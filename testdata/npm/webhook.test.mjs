// The verifiers of Stripe, Standard Webhooks and Svix accept what webhooks send, and
// the secret as it is. They accept no other secret.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import assert from "node:assert/strict";
import * as standard from "standardwebhooks";
import Stripe from "stripe";
import * as svix from "svix";
import { serve } from "./serve.mjs";

test("the verifiers of Stripe, Standard Webhooks and Svix accept deliveries", { timeout: 60_000 }, async (t) => {
  const dir = mkdtempSync(join(tmpdir(), "hook-"));
  t.after(() => rmSync(dir, { recursive: true }));
  const [key, cert] = [join(dir, "key.pem"), join(dir, "cert.pem")];
  execFileSync("openssl", ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
    "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", cert], { stdio: "ignore" });

  const received = [];
  let arrived = () => {};
  const receiver = createServer({ key: readFileSync(key), cert: readFileSync(cert) }, (request, answer) => {
    const parts = [];
    request.on("data", (part) => parts.push(part));
    request.on("end", () => {
      received.push({ body: Buffer.concat(parts), headers: request.headers });
      answer.end("ok");
      arrived();
    });
  });
  await new Promise((ready) => receiver.listen(0, "127.0.0.1", ready));
  t.after(() => receiver.close());
  const until = async (n) => {
    while (received.length < n) await new Promise((next) => (arrived = next));
  };

  const { url, token } = await serve(t, "--webhook-allow-cidr", "127.0.0.1", "--webhook-ca-file", cert);
  const call = async (path, body) => {
    const answer = await fetch(url + "/api/v1" + path, { method: "POST", body: body && JSON.stringify(body),
      headers: { Authorization: "Bearer " + token, ...(body && { "Content-Type": "application/json" }) } });
    assert.ok(answer.ok, `${path}: ${answer.status}`);
    return (await answer.json()).data;
  };
  const hook = await call("/webhooks", { url: `https://127.0.0.1:${receiver.address().port}/in`, events: ["*"] });
  await call("/collections", { name: "Häfen ⚓ <&>" });
  await until(1);
  const delivery = await call(`/webhooks/${hook.id}/test`);
  assert.equal(delivery.status, "delivered");
  await until(2);

  const stripe = new Stripe("sk_test_unused");
  for (const [i, type] of ["collection.created", "webhook.test"].entries()) {
    const { body, headers } = received[i];
    const signature = headers["x-dal-signature"];
    const event = stripe.webhooks.constructEvent(body, signature, hook.secret);
    assert.equal(event.type, type);
    assert.equal(headers["x-dal-event"], type);
    assert.throws(() => stripe.webhooks.constructEvent(body, signature, hook.secret + "x"), /signature/i);
    assert.throws(() => stripe.webhooks.constructEvent(body + " ", signature, hook.secret), /signature/i);
    // A day later the same request is a replay.
    assert.throws(() => stripe.webhooks.constructEvent(body, signature, hook.secret, 300, undefined, Date.now() + 86_400_000), /tolerance/);

    assert.equal(event.id, headers["webhook-id"]);
    for (const { Webhook } of [standard, svix]) {
      new Webhook(hook.secret).verify(body, headers);
      assert.throws(() => new Webhook(hook.secret).verify(body + " ", headers), /signature/i);
      assert.throws(() => new Webhook("whsec_" + btoa("another secret")).verify(body, headers), /signature/i);
      assert.throws(() => new Webhook(hook.secret).verify(body, { ...headers, "webhook-timestamp": "1767225600" }), /too old/i);
    }
  }
  assert.equal(JSON.parse(received[0].body).data.name, "Häfen ⚓ <&>");
  const rotated = await call(`/webhooks/${hook.id}/rotate-secret`);
  await call(`/webhooks/${hook.id}/test`);
  await until(3);
  stripe.webhooks.constructEvent(received[2].body, received[2].headers["x-dal-signature"], rotated.secret);
  assert.throws(() => stripe.webhooks.constructEvent(received[2].body, received[2].headers["x-dal-signature"], hook.secret), /signature/i);
  for (const { Webhook } of [standard, svix]) {
    new Webhook(rotated.secret).verify(received[2].body, received[2].headers);
    assert.throws(() => new Webhook(hook.secret).verify(received[2].body, received[2].headers), /signature/i);
  }
});
