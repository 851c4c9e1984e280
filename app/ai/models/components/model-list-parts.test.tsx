import { renderToStaticMarkup } from "react-dom/server";
import { expect, it } from "vitest";
import { CapabilityList } from "./model-list-parts";

const shown = (capabilities: ("text" | "vision")[], kind: "chat" | "embedding") =>
  renderToStaticMarkup(
    <CapabilityList model={{ recommended: false, enhanced: false, kind, capabilities }} />,
  ).replaceAll(/<[^>]*>/g, "");

it("names at least text for a chat model, as the API does", () => {
  expect(shown([], "chat")).toBe("Text");
  expect(shown(["text", "vision"], "chat")).toBe("Vision");
  expect(shown([], "embedding")).toBe("Embedding");
});
