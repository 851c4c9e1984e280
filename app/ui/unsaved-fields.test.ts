import { parseHTML } from "linkedom";
import { afterEach, expect, it, vi } from "vitest";
import { allFieldsWithKeys, readStored, store } from "./unsaved-fields";

/** The keys of a page's text fields. */
function keysOf(forms: string, page = "/chat/con_1"): string[] {
  const { document } = parseHTML(`<html data-person="usr_1"><body>${forms}</body></html>`);
  vi.stubGlobal("document", document);
  // The parser has neither property.
  for (const field of document.querySelectorAll("input, textarea")) {
    const autocomplete = field.getAttribute("autocomplete") ?? "";
    Object.defineProperties(field, {
      form: { value: field.closest("form") },
      autocomplete: { value: autocomplete },
    });
  }
  return allFieldsWithKeys(document.body, page).map(([, key]) => key);
}

const call = (id: string) =>
  `<form method="post"><input type="hidden" name="toolCallId" value="${id}"><textarea name="input"></textarea></form>`;

afterEach(() => vi.unstubAllGlobals());

it("names the person, the page and what a form belongs to in the key of its text", () => {
  expect(keysOf(call("call_1"))).toEqual(["typed:usr_1:/chat/con_1#input#1#toolCallId=call_1"]);
  const keys = [
    ...keysOf(call("call_1") + call("call_2")),
    ...keysOf(call("call_1"), "/chat/con_2"),
    ...keysOf(call("msg_1").replace("toolCallId", "messageId")),
  ];
  expect(new Set(keys).size).toBe(keys.length);
});

it("has no keys of passwords, files and searches", () => {
  const fields =
    '<input type="password" name="a"><input type="text" autocomplete="new-password" name="b"><input type="file" name="c">';
  expect(keysOf(`<form method="post">${fields}</form><form><input type="text" name="q"></form>`)).toEqual([]);
});

it("keeps nothing where the browser's storage is disabled, without an error", () => {
  vi.stubGlobal("sessionStorage", undefined);
  store("typed:key", { value: "half", saved: "" });
  expect(readStored("typed:key")).toBeUndefined();
});
