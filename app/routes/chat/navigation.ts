import { searchedWords } from "~/core/language/find-terms";
import { readCookie } from "~/http/cookies.server";
import { screen } from "~/http/screen.server";
import { FOLDERS_COOKIE, openFoldersIn } from "~/work/chat/chat-choices.shared";
import { NavigationQuery } from "~/work/chat/list/list.schema";
import { listNavigation } from "~/work/chat/list/list.service.server";
import { findConversations } from "~/work/chat/list/search.service.server";

const MAX_FOUND = 20;

const { loader } = screen({
  access: "chat.use",
  query: NavigationQuery,
  load: async ({ actor, request, query: { q } }) => {
    const words = q ? searchedWords(q) : [];
    const body = q
      ? { found: words.length > 0 ? await findConversations(actor, words, MAX_FOUND) : [] }
      : listNavigation(actor, openFoldersIn(readCookie(request, FOLDERS_COOKIE, { secure: false })));
    return Response.json(body, { headers: { "Cache-Control": "no-store" } });
  },
});

export { loader };
