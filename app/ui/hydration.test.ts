import { expect, it } from "vitest";
import { loadBeforeHydration, openPartsLoaded } from "./hydration";

it("waits for the code of parts within parts, and not for code that can't be loaded", async () => {
  let arrive: (part: string) => void = () => undefined;
  const inner = new Promise<string>((resolve) => {
    arrive = resolve;
  });
  loadBeforeHydration(Promise.reject(new Error("offline")));
  loadBeforeHydration(Promise.resolve().then(() => loadBeforeHydration(inner)));
  const seen: string[] = [];
  const waited = openPartsLoaded().then(() => seen.push("hydrated"));
  void inner.then((part) => seen.push(part));
  await new Promise((resolve) => setImmediate(resolve));
  arrive("inner part");
  await waited;
  expect(seen).toEqual(["inner part", "hydrated"]);
});
