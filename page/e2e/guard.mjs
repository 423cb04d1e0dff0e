// Tests of authentication: a tab without the token, and pages of other origins.
import assert from "node:assert/strict";
import { createServer } from "node:http";

/** Runs a script in a page of another origin of this machine. Returns its result. */
async function elsewhere(context, script) {
  const other = createServer((_, response) => response.setHeader("content-type", "text/html").end("<!doctype html><title>other</title>"));
  await new Promise((resolve) => other.listen(0, "127.0.0.1", resolve));
  const page = await context.newPage();
  try {
    await page.goto(`http://127.0.0.1:${other.address().port}/`);
    return await page.evaluate(script.run, script.given);
  } finally {
    await page.close();
    other.close();
  }
}

const dial = async (url) =>
  new Promise((resolve) => {
    const socket = new WebSocket(url, ["marquetry", "0".repeat(64)]);
    socket.onopen = () => resolve("open");
    socket.onerror = () => resolve("refused");
  });

export const checks = {
  async "a tab without the token explains how to open the page"({ context, server }) {
    const page = await context.newPage();
    await page.goto(`http://${server.address}/ui/`);
    await page.waitForSelector(".wrong");
    assert.match(await page.innerText(".wrong"), /opened without its token[\s\S]*marq ui opens it/);
    await page.goto(`http://${server.address}/ui/?2#token=${"0".repeat(64)}`);
    await page.waitForSelector("text=the token in the address is not the one of this server");
    await page.close();
  },

  async "pages of other origins are refused, even with the cookie and the token"({ context, server }) {
    for (const path of ["/ui/rpc", "/editors/web", "/"]) {
      const given = `ws://${server.address}${path}`;
      assert.equal(await elsewhere(context, { run: dial, given }), "refused", path);
    }
    const ask = async ({ url, token }) =>
      fetch(url, { method: "POST", headers: { authorization: `Bearer ${token}` }, credentials: "include" }).then(
        (answer) => answer.status,
        () => "refused",
      );
    const given = { url: `http://${server.address}/ui/ticket`, token: server.token };
    assert.equal(await elsewhere(context, { run: ask, given }), "refused");
    const frame = async (url) => {
      const made = document.createElement("iframe");
      made.src = url;
      document.body.append(made);
      await new Promise((resolve) => (made.onload = resolve));
      try {
        return made.contentDocument?.title ?? "hidden";
      } catch {
        return "hidden";
      }
    };
    assert.equal(await elsewhere(context, { run: frame, given: `http://${server.address}/ui/` }), "hidden");
  },
};
