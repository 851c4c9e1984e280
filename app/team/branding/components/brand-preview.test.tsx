import { expect, it } from "vitest";
import { rendered } from "../../../../tests/support/rendered";
import { BrandPreview } from "./brand-preview";

const values = {
  appName: "Bridge",
  primaryColor: "#3b82f6",
  secondaryColor: "#888888",
  accentColor: "#10b981",
  backgroundColor: "#000000",
  textColor: "#ffffff",
  borderRadius: 12,
  fontFamily: "Inter",
  backgroundPattern: "grid",
};
const show = async (more: object = {}) => {
  const { document, text } = await rendered(<BrandPreview values={{ ...values, ...more }} fonts={{}} />);
  const cards = [...document.querySelectorAll(".flex-col.gap-3.border")];
  return { text, cards: cards.map((card) => card.getAttribute("style") ?? "") };
};

it("previews both themes, and rates each color against the background", async () => {
  const { cards, text } = await show();
  expect(cards).toHaveLength(2);
  expect(text).toMatch(/Text21\.0:1/);
  expect(text).toMatch(/Preview.*Bridge.*Bridge/);
  expect(cards[0], "the radius of a card").toContain("border-radius:12px");
});

it("leaves empty what has no value yet", async () => {
  expect((await show({ appName: undefined })).text).toMatch(/PreviewButtonButton$/);
});

it("draws glass only where it is switched on", async () => {
  const isGlass = async (more: object) => (await show(more)).cards[0]?.includes("transparent");
  expect([await isGlass({ glassEffect: true }), await isGlass({ glassEffect: "on" })]).toEqual([true, true]);
  expect(await isGlass({}), "an unchecked switch isn't sent").toBe(false);
});
