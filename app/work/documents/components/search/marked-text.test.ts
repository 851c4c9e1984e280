import { describe, expect, it } from "vitest";
import { excerptFor, markWords, plainPassage } from "./marked-text";

const marks = (text: string, query: string) =>
  markWords(text, query).flatMap(({ text: word, isMarked }) => (isMarked ? [word] : []));

describe("marked words", () => {
  it("match the query regardless of case, number and accents", () => {
    expect(
      marks("Invoices are paid within 30 days; an invoice from Café Noël too.", "invoice cafe 30"),
    ).toEqual(["Invoices", "30", "invoice", "Café"]);
  });

  it("include short words", () => {
    expect(marks("Ropes, a rope and the use of us", "rope uses")).toEqual(["Ropes", "rope", "use"]);
  });

  it("include other forms that keyword search finds", () => {
    expect(marks("Policies, a policy and policing; networks for networking", "policy network")).toEqual([
      "Policies",
      "policy",
      "networks",
      "networking",
    ]);
  });

  it("exclude common words and parts of other words", () => {
    expect(marks("The art of the cart", "the art of")).toEqual(["art"]);
  });

  it("add up to the original text", () => {
    const text = "A ship. A shipping company, ships!";
    expect(
      markWords(text, "ship company")
        .map((part) => part.text)
        .join(""),
    ).toBe(text);
  });

  it("are none for a query of punctuation", () => {
    expect(markWords("one two", "?! (*)")).toEqual([{ at: 0, text: "one two", isMarked: false }]);
    expect(markWords("", "one")).toEqual([]);
  });
});

describe("an excerpt", () => {
  it("is all of a short passage", () => {
    expect(excerptFor("Short.", "short")).toBe("Short.");
  });

  it("starts before the first query word and ends between words", () => {
    const text = `${"filler words go here ".repeat(40)}the anchor is weighed ${"and more of it ".repeat(40)}`;
    const excerpt = excerptFor(text, "anchor");
    expect(excerpt).toContain("the anchor is weighed");
    expect(excerpt).toMatch(/^… \w+ /);
    expect(excerpt).toMatch(/ \w+ …$/);
    expect(excerpt.length).toBeLessThan(440);
  });
});

it("an excerpt doesn't split surrogate pairs", () => {
  for (const lead of ["", "x"]) {
    const text = `${lead}${"😀".repeat(300)} lighthouse ${"😀".repeat(300)}`;
    expect(excerptFor(text, "lighthouse")).not.toMatch(/\p{Surrogate}/u);
  }
});

it("a passage shows bullets or boxes for its list markers, and no empty lines", () => {
  expect(plainPassage("Tides\n\n- high at noon\n  * low at six\n- [ ] check\n- [x] sent\n\n5 - 3 = 2")).toBe(
    "Tides\n• high at noon\n  • low at six\n☐ check\n☑ sent\n5 - 3 = 2",
  );
});

it("an excerpt doesn't end with the marker of the line it leaves out", () => {
  const items = Array.from({ length: 60 }, () => "• a tide table").join("\n");
  for (let length = 0; length < 20; length++) {
    expect(excerptFor(`${"x".repeat(length)} ${items}`, "none")).toMatch(/[a-z] …$/);
  }
});
