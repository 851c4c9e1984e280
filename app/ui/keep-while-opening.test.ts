import type { ShouldRevalidateFunctionArgs } from "@remix-run/react";
import { expect, it } from "vitest";
import { keepWhileOpening } from "./keep-while-opening";

const change = (from: string, to: string, more: Partial<ShouldRevalidateFunctionArgs> = {}) =>
  ({
    currentUrl: new URL(from, "http://console"),
    nextUrl: new URL(to, "http://console"),
    defaultShouldRevalidate: true,
    ...more,
  }) as ShouldRevalidateFunctionArgs;

it("loads nothing where only a dialog opens, closes or is about something else", () => {
  const decide = keepWhileOpening();
  expect(decide(change("/keys", "/keys?dialog=add"))).toBe(false);
  expect(decide(change("/keys?cursor=2&dialog=add", "/keys?cursor=2"))).toBe(false);
  expect(decide(change("/keys?dialog=edit&id=1", "/keys?dialog=edit&id=2"))).toBe(false);
});

it("loads where anything else changes, something was sent, the same page is asked for, or the dialog needs it", () => {
  const decide = keepWhileOpening({ loads: ["group"] });
  expect(decide(change("/keys?cursor=1", "/keys?cursor=2&dialog=add"))).toBe(true);
  expect(decide(change("/keys", "/members?dialog=add"))).toBe(true);
  expect(decide(change("/keys", "/keys"))).toBe(true);
  expect(decide(change("/keys?dialog=add", "/keys", { formMethod: "POST" }))).toBe(true);
  expect(decide(change("/members", "/members?dialog=group"))).toBe(true);
  expect(decide(change("/members?dialog=group", "/members"))).toBe(false);
});
