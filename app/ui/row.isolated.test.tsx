import { parseHTML } from "linkedom";
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it, vi } from "vitest";
import { Row } from "./row";
import type { RowAction } from "./row-actions";
import { RowList, shiftRange } from "./row-selection";

vi.mock("@remix-run/react", () => ({
  Link: ({ to, children, preventScrollReset: _, reloadDocument: __, ...rest }: Record<string, never>) => (
    <a href={to} {...rest}>
      {children}
    </a>
  ),
  Form: ({ preventScrollReset: _, reloadDocument: __, ...rest }: Record<string, never>) => <form {...rest} />,
}));

const icon = <svg />;
const ACTIONS: RowAction[] = [
  { label: "Edit", icon, to: "?dialog=edit" },
  { label: "Suspend", icon, values: { intent: "suspend", id: "1" } },
  { label: "Remove", icon, to: "?dialog=remove" },
];

function render(page: React.ReactNode) {
  return parseHTML(`<!doctype html><html><body>${renderToStaticMarkup(page)}</body></html>`).document;
}

describe("a row", () => {
  it("has its full name as a tooltip and is one target", () => {
    const page = render(<Row name="A very long name" to="/things/1" meta="3 chunks" />);
    expect(page.querySelector("a[href='/things/1']")?.getAttribute("title")).toBe("A very long name");
    expect(page.body.textContent).toBe("A very long name3 chunks");
  });

  it("shows two actions, and all in its menu, each with the row's name", () => {
    const page = render(<Row name="Ana" actions={ACTIONS} />);
    const named = (where: string) =>
      [...page.querySelectorAll(`${where} :is(a, button)`)].map((one) => one.getAttribute("aria-label"));
    expect(named(".row-actions")).toEqual(["Edit Ana", "Suspend Ana"]);
    expect(named("details")).toEqual(["Edit Ana", "Suspend Ana", "Remove Ana"]);
    const fields = [...page.querySelectorAll("details form input")];
    expect(fields.map((one) => [one.getAttribute("name"), one.getAttribute("value")])).toEqual([
      ["intent", "suspend"],
      ["id", "1"],
    ]);
  });

  it("shows a single action at every width", () => {
    const page = render(<Row name="Ana" actions={ACTIONS.slice(0, 1)} />);
    expect(page.querySelector("details")).toBeNull();
    expect(page.querySelector(".row-actions")?.classList.contains("hidden")).toBe(false);
  });

  it("can be selected only in a list with a bar and belongs to its form", () => {
    const rows = [<Row key="a" name="Ana" select="usr_a" />, <Row key="b" name="Ben" select="usr_b" />];
    const bar = (
      <button type="submit" name="intent" value="remove-all">
        Remove
      </button>
    );
    const page = render(
      <RowList label="People" selection={{ noun: "member", bar }}>
        {rows}
      </RowList>,
    );
    const form = page.querySelector("form");
    expect(form?.querySelector("button[value=remove-all]")).not.toBeNull();
    const boxes = [...page.querySelectorAll("input[data-select]")];
    expect(boxes.map((box) => [box.getAttribute("form"), box.getAttribute("value")])).toEqual([
      [form?.id, "usr_a"],
      [form?.id, "usr_b"],
    ]);
    expect(page.querySelector("label")?.textContent).toBe("Select Ana");
    expect(render(<RowList label="People">{rows}</RowList>).querySelector("input")).toBeNull();
  });
});

it("a range runs either way and is empty if an end is missing", () => {
  expect(shiftRange([1, 2, 3, 4], 3, 2)).toEqual([2, 3]);
  expect(shiftRange([1, 2, 3], 1, 3)).toEqual([1, 2, 3]);
  expect(shiftRange([1, 2], 5, 2)).toEqual([]);
});
