// A server of dal on a folder of its own, stopped when the test ends.
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

// serve starts ./dal with more flags and returns where it listens and a token
// of an administrator.
export async function serve(t, ...flags) {
  const data = mkdtempSync(join(tmpdir(), "dal-"));
  t.after(() => rmSync(data, { recursive: true }));
  const dal = (input, ...args) => execFileSync("./dal", [...args, "--data", data], { input, encoding: "utf8", stdio: ["pipe", "pipe", "ignore"] }).trim();

  const server = spawn("./dal", ["serve", "--data", data, "--listen", "127.0.0.1:0", ...flags], { stdio: ["ignore", "ignore", "pipe"] });
  t.after(async () => {
    const ended = new Promise((done) => server.on("exit", done));
    server.kill("SIGTERM");
    await ended;
  });
  const url = await new Promise((ready, failed) => {
    let text = "";
    server.stderr.on("data", (chunk) => {
      text += chunk;
      const found = text.match(/listens on (\S+)/);
      if (found) ready(found[1]);
    });
    server.on("exit", () => failed(new Error("the server did not start: " + text)));
  });
  dal("correct horse battery\n", "user", "create", "--email", "ada@example.com", "--name", "Ada", "--role", "admin", "--password-stdin");
  const token = dal("", "token", "create", "--user", "ada@example.com", "--name", "test", "--all-abilities");
  return { url, token };
}
