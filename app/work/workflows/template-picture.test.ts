import { expect, it } from "vitest";
import { listPartTypes } from "./part-types.server";
import { drawTemplate } from "./template-picture";
import { PART_SIZE } from "./template-picture.shared";
import { templates } from "./templates";

it.each(templates.map((template) => [template.id, template] as const))(
  "draws %s without overlaps",
  (_, template) => {
    const { nodes, lines, width, height } = drawTemplate(template, listPartTypes("org_1"));
    expect(nodes.map(({ id }) => id)).toEqual([...template.triggers, ...template.steps].map(({ id }) => id));
    expect(lines.length).toBeGreaterThanOrEqual(template.steps.length);
    for (const a of nodes) {
      expect([a.x + PART_SIZE <= width, a.y + PART_SIZE <= height]).toEqual([true, true]);
      for (const b of nodes)
        if (a !== b) expect(Math.max(Math.abs(a.x - b.x), Math.abs(a.y - b.y))).toBeGreaterThan(PART_SIZE);
    }
    for (const { from, to } of lines) expect(to.x, "a line leads on").toBeGreaterThan(from.x);
  },
);
