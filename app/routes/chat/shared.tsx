import { useLoaderData } from "@remix-run/react";
import { MessageSquare, Users } from "lucide-react";
import { z } from "zod";
import { toDisplayText } from "~/core/well-formed";
import { screen } from "~/http/screen.server";
import { CursorParam } from "~/platform/catalogue/fields.schema";
import { LinkButton } from "~/ui/button";
import { EmptyState } from "~/ui/empty-state";
import { BackLink, PageHeader, pageTitle } from "~/ui/page-header";
import { CursorPages } from "~/ui/pagination";
import { Row } from "~/ui/row";
import { RelativeTime } from "~/ui/time";
import { listSharedConversations } from "~/work/chat/shares/shared-conversations.service.server";

const PAGE_SIZE = 50;

export const meta = pageTitle("Shared with Me");

const { loader } = screen({
  access: "signed-in",
  query: z.object({ cursor: CursorParam }),
  load: ({ actor, query }) => ({
    ...listSharedConversations(actor, { limit: PAGE_SIZE, cursor: query.cursor }),
    isFirst: query.cursor === undefined,
  }),
});

export { loader };

export default function SharedWithMe() {
  const { conversations, next, isFirst } = useLoaderData<typeof loader>();
  return (
    <div className="mx-auto max-w-4xl">
      <PageHeader
        title="Shared with Me"
        subtitle="Read conversations that other members share with you"
        actions={<BackLink to="/chat/all">All Conversations</BackLink>}
      />
      {conversations.length === 0 ? (
        <EmptyState
          icon={<Users />}
          title="Nothing shared with you"
          description="Conversations appear here once a member shares one with you."
          action={<LinkButton to="/chat">Start a Conversation</LinkButton>}
        />
      ) : (
        <ul className="rounded-lg border border-line">
          {conversations.map(({ id, title, owner, sharedAt }) => (
            <Row
              key={id}
              name={toDisplayText(title)}
              to={`/chat/shared/${id}`}
              icon={<MessageSquare aria-hidden="true" />}
              meta={
                <>
                  {owner.name} · shared <RelativeTime at={sharedAt} style="running" />
                </>
              }
            />
          ))}
        </ul>
      )}
      <CursorPages
        first={isFirst ? undefined : "/chat/shared"}
        next={next && `/chat/shared?cursor=${encodeURIComponent(next)}`}
        nextLabel="Older Conversations"
      />
    </div>
  );
}
