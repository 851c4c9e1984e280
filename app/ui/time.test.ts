import { describe, expect, it } from "vitest";
import { formatTime, formatUtc } from "./time";

const at = Date.UTC(2026, 10, 21, 9, 30);
const later = (minutes: number) => at + minutes * 60_000;

describe("formatTime", () => {
  it.each([
    [0.5, "Just now"],
    [1, "1 minute ago"],
    [59, "59 minutes ago"],
    [60, "1 hour ago"],
    [23 * 60, "23 hours ago"],
    [24 * 60, "Nov 21, 2026"],
  ])("uses the dashboard's wording after %s minutes", (minutes, text) => {
    expect(formatTime(at, later(minutes), "long", "UTC")).toBe(text);
  });

  it.each([
    [0, "Just now"],
    [5, "5m ago"],
    [125, "2h ago"],
    [3 * 24 * 60, "3d ago"],
    [30 * 24 * 60, "Nov 21, 2026, 9:30 AM"],
  ])("uses the audit log's wording after %s minutes", (minutes, text) => {
    expect(formatTime(at, later(minutes), "short", "UTC").replaceAll("\u202f", " ")).toBe(text);
  });

  it("continues in lower case within a sentence", () => {
    expect(formatTime(at, at, "running", "UTC")).toBe("just now");
    expect(formatTime(at, later(2), "running", "UTC")).toBe("2 minutes ago");
  });

  it.each([
    [-5, "5 minutes left"],
    [-4.1, "5 minutes left"],
    [-0.5, "1 minute left"],
    [1, "0 minutes left"],
  ])("counts what is left in begun minutes: %s", (minutes, text) => {
    expect(formatTime(at, later(minutes), "left", "UTC")).toBe(text);
  });

  it("never refers to the future when clocks differ", () => {
    expect(formatTime(at, at - 5000, "long", "UTC")).toBe("Just now");
  });

  it("formats a moment in UTC", () => {
    expect(formatUtc(at)).toBe("Nov 21, 2026, 9:30 AM UTC");
    expect(formatUtc(at, "medium")).toMatch(/^Nov 21, 2026, 9:30:\d\d AM UTC$/);
  });
});
