import { describe, expect, it } from "vitest";
import { pageOf } from "./cursor";

describe("a page", () => {
  const items = Array.from({ length: 45 }, (_, index) => index);

  it("holds its part of the list", () => {
    expect(pageOf(items, 2, 20).items).toEqual(items.slice(20, 40));
    expect(pageOf(items, 3, 20)).toEqual({
      items: items.slice(40),
      pageInfo: { page: 3, size: 20, total: 45 },
    });
  });

  it("that isn't there is the last", () => {
    expect(pageOf(items, 99, 20).pageInfo.page).toBe(3);
    expect(pageOf(items.slice(0, 40), 3, 20)).toMatchObject({ pageInfo: { page: 2 } });
    expect(pageOf([], 4, 20)).toEqual({ items: [], pageInfo: { page: 1, size: 20, total: 0 } });
  });
});
