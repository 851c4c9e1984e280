import { parseHTML } from "linkedom";
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import type { FieldSpec } from "~/core/field.schema";
import { FormFields } from "./form-fields";
import type { Result } from "./form-result";

const FIELDS: Record<string, FieldSpec> = {
  title: { label: "Title", hint: "At the top", control: { kind: "text", maxLength: 60 } },
  note: { label: "Note", hint: "Below it", control: { kind: "textarea", maxLength: 600 } },
  css: { label: "CSS", hint: "Added to pages", control: { kind: "code", maxLength: 50_000 } },
  timeout: {
    label: "Timeout",
    hint: "Of a call",
    control: { kind: "number", min: 100, max: 600, step: 50, unit: "ms" },
  },
  radius: {
    label: "Radius",
    hint: "Of corners",
    control: { kind: "range", min: 0, max: 20, step: 1, unit: "px" },
  },
  theme: {
    label: "Theme",
    hint: "Of pages",
    control: {
      kind: "select",
      options: [
        { value: "dark", label: "Dark" },
        { value: "light", label: "LIGHT" },
      ],
    },
  },
  model: {
    label: "Model",
    hint: "Of vectors",
    control: { kind: "text", suggestions: ["small", "large"] },
  },
  glass: { label: "Glass", hint: "Of cards", control: { kind: "switch" } },
  accent: { label: "Accent", hint: "Of marks", control: { kind: "colour" } },
};
const VALUES = {
  title: "Lamps",
  note: ["Bright", "Dim"],
  css: "a{}",
  timeout: 300,
  radius: 8,
  theme: "light",
  model: "own",
  glass: true,
  accent: "#3b82f6",
};

function render(result?: Result, prefix?: string) {
  const markup = renderToStaticMarkup(
    <FormFields fields={FIELDS} values={VALUES} result={result} {...(prefix ? { prefix } : {})} />,
  );
  const { document } = parseHTML(`<!doctype html><body>${markup}</body>`);
  /** The control that a label belongs to. */
  const control = (label: string) => {
    const found = [...document.querySelectorAll("label")].find(({ textContent }) =>
      textContent?.startsWith(label),
    );
    const element = document.getElementById(found?.getAttribute("for") ?? "");
    if (!element) throw new Error(`There is no control for ${label}.`);
    return element;
  };
  return { document, control, describe: (label: string) => describedBy(document, control(label)) };
}

function describedBy(document: Document, element: Element): string {
  const ids = element.getAttribute("aria-describedby")?.split(" ") ?? [];
  return ids.map((id) => document.getElementById(id)?.textContent ?? "").join(" | ");
}

describe("FormFields", () => {
  it("renders native controls, each with its name, value, label and hint", () => {
    const { document, control, describe: described } = render();
    const shown = Object.entries(FIELDS).map(([, { label }]) => {
      const element = control(label);
      const kind = element.getAttribute("type") ?? element.tagName.toLowerCase();
      return [element.getAttribute("name"), kind, described(label)];
    });
    expect(shown).toEqual([
      ["title", "text", "At the top"],
      ["note", "textarea", "Below it"],
      ["css", "textarea", "Added to pages"],
      ["timeout", "number", "Of a call"],
      ["radius", "range", "Of corners"],
      ["theme", "select", "Of pages"],
      ["model", "text", "Of vectors"],
      ["glass", "checkbox", "Of cards"],
      ["accent", "color", "Of marks"],
    ]);
    expect(control("Title").getAttribute("value")).toBe("Lamps");
    expect(control("Note").textContent).toBe("Bright\nDim");
    expect(control("Timeout").outerHTML).toMatch(/min="100".*max="600".*step="50".*value="300"/);
    expect(control("Theme").querySelector("[selected]")?.textContent).toBe("LIGHT");
    expect(control("Glass").hasAttribute("checked")).toBe(true);
    expect(control("Accent").getAttribute("value")).toBe("#3b82f6");
    const list = document.getElementById(control("Model").getAttribute("list") ?? "");
    expect(
      [...(list?.querySelectorAll("option") ?? [])].map((option) => option.getAttribute("value")),
    ).toEqual(["small", "large"]);
  });

  it("redisplays a rejected form with typed values and each error at its control", () => {
    const { control, describe: described } = render({
      status: "error",
      initialValue: { title: "Torches", timeout: "7", theme: "dark" },
      error: { timeout: ["Choose a number from 100 to 600 ms"], glass: ["Changed meanwhile to true"] },
    });
    expect(control("Title").getAttribute("value")).toBe("Torches");
    expect(control("Timeout").getAttribute("value")).toBe("7");
    expect(control("Timeout").getAttribute("aria-invalid")).toBe("true");
    expect(described("Timeout")).toBe("Choose a number from 100 to 600 ms | Of a call");
    // It was emptied, and the switch turned off: a browser sends neither.
    expect(control("Note").textContent).toBe("");
    expect(control("Glass").hasAttribute("checked")).toBe(false);
    expect(described("Glass")).toBe("Changed meanwhile to true | Of cards");
  });

  it("prefixes field names with the group's name", () => {
    const { control, describe: described } = render(
      {
        status: "error",
        initialValue: { look: { title: "Torches" } },
        error: { "look.title": ["Too long"] },
      },
      "look",
    );
    expect(control("Title").getAttribute("name")).toBe("look.title");
    expect(control("Title").getAttribute("value")).toBe("Torches");
    expect(described("Title")).toBe("Too long | At the top");
  });
});

describe("a field that is used with another one's value", () => {
  const fields: Record<string, FieldSpec> = {
    ...FIELDS,
    css: {
      label: "CSS",
      control: { kind: "code" },
      usedWith: { field: "theme", values: ["dark"] },
    },
  };
  const wrapper = (theme: string, result?: Result) => {
    const markup = renderToStaticMarkup(
      <FormFields fields={fields} values={{ ...VALUES, theme }} result={result} prefix="look" />,
    );
    const { document } = parseHTML(`<!doctype html><body>${markup}</body>`);
    return document.querySelector('[name="look.css"]')?.closest(".contents")?.className;
  };

  it("is hidden by script alone while that has another one, and shown where it is wrong", () => {
    expect(wrapper("dark")).toBe("contents");
    expect(wrapper("light")).toBe("contents scripted:hidden");
    const refused: Result = { status: "error", error: { "look.css": ["Enter CSS"] } };
    expect(wrapper("light", refused)).toBe("contents");
  });
});
