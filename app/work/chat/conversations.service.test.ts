import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { transaction } from "~/core/db.server";
import { openTestDatabase } from "../../../tests/support/database";
import { insertConversation } from "./chat.repo.server";
import { listOwnConversations } from "./conversations.service.server";

describe("their own conversations", () => {
  let test: ReturnType<typeof openTestDatabase>;
  beforeEach(() => {
    test = openTestDatabase();
  });
  afterEach(() => test.close());

  it("are paged without missing or repeating any, even within one millisecond", () => {
    const { orgId, userId } = test.actors.member;
    for (const [n, updatedAt] of [5, 7, 7, 7, 7, 7, 9].entries()) {
      const at = { createdAt: 1, updatedAt };
      transaction((tx) =>
        insertConversation(tx, {
          id: `con_${n}`,
          orgId,
          userId,
          title: "T",
          model: "m",
          settings: {},
          ...at,
        }),
      );
    }
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = listOwnConversations(test.actors.member, { limit: 2, cursor });
      seen.push(...page.conversations.map(({ id }) => id));
      cursor = page.next;
    } while (cursor);
    expect(seen).toEqual(["con_6", "con_5", "con_4", "con_3", "con_2", "con_1", "con_0"]);
  });

  it.each(["", "!", "zz", "1.2"])("refuse the cursor %j", (cursor) => {
    expect(() => listOwnConversations(test.actors.member, { limit: 2, cursor })).toThrow(
      "not valid for this list",
    );
  });
});
