import { parseHTML } from "linkedom";
import { afterEach, beforeEach, expect, it, vi } from "vitest";

const stored = new Map<string, string>();

beforeEach(() => {
  vi.resetModules();
  stored.clear();
  vi.stubGlobal("sessionStorage", {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => stored.set(key, value),
    removeItem: (key: string) => stored.delete(key),
  });
});
afterEach(() => vi.unstubAllGlobals());

interface Page {
  session: string;
  person?: string;
  address?: string;
  /** What the address bar names before its page is drawn. */
  next?: string;
}

/** Loads a page with forms. @returns its fields by name, and leaves it */
async function load(forms: string, { session, person = "usr_1", address = "/chat/con_1", next }: Page) {
  const dom = parseHTML(
    `<html data-person="${person}" data-session="${session}" data-address="${address}"><body>${forms}</body></html>`,
  );
  const { document } = dom;
  vi.stubGlobal("document", document);
  vi.stubGlobal("location", new URL(next ?? address, "http://console"));
  for (const name of [
    "HTMLInputElement",
    "HTMLTextAreaElement",
    "HTMLSelectElement",
    "HTMLFormElement",
    "Event",
    "MutationObserver",
  ] as const)
    vi.stubGlobal(name, dom[name]);
  const leaving: (() => void)[] = [];
  vi.stubGlobal("window", { addEventListener: (_: string, listener: () => void) => leaving.push(listener) });
  // The parser lacks these properties.
  for (const form of document.querySelectorAll("form"))
    Object.defineProperty(form, "method", { value: form.getAttribute("method") ?? "get" });
  for (const field of document.querySelectorAll<HTMLInputElement>("input, textarea")) {
    const autocomplete = field.getAttribute("autocomplete") ?? "";
    const given = field.getAttribute("value") ?? field.textContent ?? "";
    Object.defineProperties(field, {
      form: { value: field.closest("form") },
      autocomplete: { value: autocomplete },
      defaultValue: { value: given },
      value: { value: given, writable: true },
      selectionStart: { value: null },
    });
  }
  const { keepOverSignIn } = await import("./kept-over-sign-in");
  keepOverSignIn();
  const fieldOf = (name: string, at = 0) => document.querySelectorAll<HTMLInputElement>(`[name=${name}]`)[at];
  const type = (name: string, text: string, at = 0) => {
    const field = fieldOf(name, at);
    if (field) field.value = text;
  };
  const leave = () => {
    for (const listener of leaving) listener();
  };
  return {
    type,
    leave,
    valueOf: (name: string, at = 0) => fieldOf(name, at)?.value,
  };
}

const FORM = '<form method="post"><textarea name="note">saved</textarea></form>';
const call = (id: string) =>
  `<form method="post"><input type="hidden" name="toolCallId" value="${id}"><textarea name="input"></textarea></form>`;

it("gives back what was typed once the same person has signed in again, and only once", async () => {
  const page = await load(FORM, { session: "one" });
  page.type("note", "half a thought");
  page.leave();
  expect((await load(FORM, { session: "other", person: "usr_2" })).valueOf("note")).toBe("saved");
  expect((await load(FORM, { session: "two" })).valueOf("note")).toBe("half a thought");
  expect((await load(FORM, { session: "three" })).valueOf("note")).toBe("saved");
});

it("drops what was typed when the page is loaded again in the same session", async () => {
  const page = await load(FORM, { session: "one" });
  page.type("note", "half a thought");
  page.leave();
  expect((await load(FORM, { session: "one" })).valueOf("note")).toBe("saved");
  expect((await load(FORM, { session: "two" })).valueOf("note")).toBe("saved");
});

it("keeps it over pages that are loaded between the sign-in and its own", async () => {
  const page = await load(FORM, { session: "one" });
  page.type("note", "half a thought");
  page.leave();
  const landed = await load(FORM, { session: "two", address: "/chat" });
  landed.type("note", "typed there");
  landed.leave();
  expect((await load(FORM, { session: "two" })).valueOf("note")).toBe("half a thought");
  expect((await load(FORM, { session: "two", address: "/chat" })).valueOf("note")).toBe("saved");
});

it("gives nothing to a page that the next one is about to replace", async () => {
  const page = await load(FORM, { session: "one" });
  page.type("note", "half a thought");
  page.leave();
  const other = { session: "two", address: "/chat" };
  expect((await load(FORM, { ...other, next: "/chat/con_1" })).valueOf("note")).toBe("saved");
});

it("leaves a value alone that was saved meanwhile, and other pages", async () => {
  const page = await load(FORM, { session: "one" });
  page.type("note", "half a thought");
  page.leave();
  const newer = await load(FORM.replace("saved", "saved elsewhere"), { session: "two" });
  expect(newer.valueOf("note")).toBe("saved elsewhere");
  page.leave();
  const other = await load(FORM, { session: "two", address: "/chat/con_2" });
  expect(other.valueOf("note")).toBe("saved");
});

it("gives the text of one call back to that call", async () => {
  const page = await load(call("call_1") + call("call_2"), { session: "one" });
  page.type("input", "for the second", 1);
  page.leave();
  const again = await load(call("call_2") + call("call_3"), { session: "two" });
  expect([again.valueOf("input", 0), again.valueOf("input", 1)]).toEqual(["for the second", ""]);
});

it("keeps no passwords, files, searches and parts with a draft of their own", async () => {
  const secrets =
    '<input type="password" name="a"><input type="text" autocomplete="new-password" name="b"><input type="file" name="c">';
  const page = await load(
    `<form method="post">${secrets}</form><form><input type="text" name="d"></form><form method="post" data-keeps-draft=""><input type="text" name="e"></form>`,
    { session: "one" },
  );
  for (const name of ["a", "b", "c", "d", "e"]) page.type(name, "typed");
  page.leave();
  expect([...stored]).toEqual([]);
});

it("keeps nothing where the browser's storage is disabled, without an error", async () => {
  vi.stubGlobal("sessionStorage", undefined);
  const page = await load(FORM, { session: "one" });
  page.type("note", "half a thought");
  expect(page.leave).not.toThrow();
});
