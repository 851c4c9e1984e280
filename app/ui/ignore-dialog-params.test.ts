import type { ShouldRevalidateFunctionArgs } from "@remix-run/react";
import { expect, it } from "vitest";
import { ignoreDialogParams } from "./ignore-dialog-params";

const change = (from: string, to: string, more: Partial<ShouldRevalidateFunctionArgs> = {}) =>
  ({
    currentUrl: new URL(from, "http://console"),
    nextUrl: new URL(to, "http://console"),
    defaultShouldRevalidate: true,
    ...more,
  }) as ShouldRevalidateFunctionArgs;

it("loads nothing if only a dialog opens, closes or changes", () => {
  const decide = ignoreDialogParams();
  expect(decide(change("/keys", "/keys?dialog=add"))).toBe(false);
  expect(decide(change("/keys?cursor=2&dialog=add", "/keys?cursor=2"))).toBe(false);
  expect(decide(change("/providers", "/providers/models?dialog=edit&id=1"))).toBe(false);
  expect(decide(change("/providers/models?dialog=edit&id=1", "/providers"))).toBe(false);
  expect(decide(change("/keys?dialog=edit&id=1", "/keys?dialog=edit&id=2"))).toBe(false);
});

it("loads after any other change, a submission, a repeated request or a dialog's search", () => {
  const decide = ignoreDialogParams();
  expect(decide(change("/keys?cursor=1", "/keys?cursor=2&dialog=add"))).toBe(true);
  expect(decide(change("/keys", "/members?dialog=add"))).toBe(true);
  expect(decide(change("/keys", "/keys"))).toBe(true);
  expect(decide(change("/providers", "/providers/models"))).toBe(true);
  expect(decide(change("/keys?dialog=add", "/keys", { formMethod: "POST" }))).toBe(true);
  const asks = ignoreDialogParams({ names: ["dialog", "q"], loads: (to) => to.searchParams.has("q") });
  expect(decide(change("/rag", "/rag?dialog=search"))).toBe(false);
  expect(asks(change("/rag", "/rag?dialog=search&q=a"))).toBe(true);
  expect(asks(change("/rag?dialog=search&q=a", "/rag"))).toBe(false);
});

it("reloads if the page can show that its form's record was deleted", () => {
  const refused = { formMethod: "POST", actionStatus: 404, defaultShouldRevalidate: false } as const;
  const open = "/keys?dialog=edit&id=1";
  expect(ignoreDialogParams()(change(open, open, refused))).toBe(false);
  expect(ignoreDialogParams({ showsMissing: true })(change(open, open, refused))).toBe(true);
});
