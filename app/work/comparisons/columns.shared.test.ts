import { describe, expect, it } from "vitest";
import { parsePosition, positionOf } from "./columns.shared";

describe("a position in a comparison's stream", () => {
  it("names each column's last event", () => {
    expect(positionOf([3, 0, 12])).toBe("3.0.12");
    expect(parsePosition("3.0.12")).toEqual([3, 0, 12]);
  });

  it.each(["", "x", "-1", "1e9", "99999999999999999999"])("starts at the beginning for %j", (text) => {
    expect(parsePosition(text)).toEqual([0]);
  });
});
