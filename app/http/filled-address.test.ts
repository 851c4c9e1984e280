import { describe, expect, it } from "vitest";
import { redirectToFilled } from "./return-to.server";

const goesTo = (address: string, allowedEmpty?: string[]) =>
  redirectToFilled(new Request(`http://console.test${address}`), allowedEmpty)?.headers.get("Location");

describe("an address", () => {
  it("removes empty parameters", () => {
    expect(goesTo("/rag?find=asvs&status=")).toBe("/rag?find=asvs");
    expect(goesTo("/rag?find=&status=")).toBe("/rag");
    expect(goesTo("/rag?dialog=search&q=two+words%26&in=&type=&from=&to=")).toBe(
      "/rag?dialog=search&q=two+words%26",
    );
  });

  it("stays where it has none, and keeps those that mean something", () => {
    expect(goesTo("/rag?find=asvs")).toBeUndefined();
    expect(goesTo("/rag")).toBeUndefined();
    expect(goesTo("/rag?dialog=search&q=", ["q"])).toBeUndefined();
  });
});
