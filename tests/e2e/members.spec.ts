import { expect, test } from "../support/fixtures";

test.use({ role: "owner" });

test("an address breaks between its parts on a phone", async ({ page, open, server }) => {
  const email = "new.colleague.of.operations@a-rather-long-department.example.org";
  await server.ask("/api/members", { as: "owner", json: { email, role: "viewer" } });
  await page.setViewportSize({ width: 390, height: 844 });
  await open("/settings/members");
  const name = page.getByTitle(email);
  const lines = await name.evaluate((element) => {
    const found: { top: number; text: string }[] = [];
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const text = node.textContent ?? "";
      for (let at = 0; at < text.length; at++) {
        const range = document.createRange();
        range.setStart(node, at);
        range.setEnd(node, at + 1);
        const { top } = range.getBoundingClientRect();
        const last = found.at(-1);
        if (last && Math.abs(last.top - top) < 2) last.text += text[at];
        else found.push({ top, text: text[at] ?? "" });
      }
    }
    return found.map(({ text }) => text);
  });
  expect(lines.join("")).toBe(email);
  expect(lines.length).toBeGreaterThan(1);
  // Each line ends with a mark or before the @.
  for (const [at, line] of lines.slice(0, -1).entries())
    expect(/[.@_+-]$/.test(line) || lines[at + 1]?.startsWith("@"), line).toBe(true);
});

test("a narrow phone shows when a member was last seen", async ({ page, open }) => {
  await page.setViewportSize({ width: 320, height: 640 });
  await open("/settings/members");
  const row = page.getByRole("listitem").filter({ hasText: "owner@example.org" });
  const meta = row.locator("p", { has: page.locator("time") });
  const cut = await meta.evaluate((line) => [
    line.scrollWidth - line.clientWidth,
    line.scrollHeight - line.clientHeight,
  ]);
  expect(Math.max(...cut)).toBeLessThan(2);
});
