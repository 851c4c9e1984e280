import { useLoaderData } from "@remix-run/react";
import { toDisplayText } from "~/core/well-formed";
import { screen } from "~/http/screen.server";
import { BackLink, PageHeader, pageTitle } from "~/ui/page-header";
import { Pagination } from "~/ui/pagination";
import { RelativeTime } from "~/ui/time";
import { SharedMessages } from "~/work/chat/components/shared-messages";
import { readSharedConversation } from "~/work/chat/shares/shared-conversations.service.server";
import { SharedPage } from "~/work/chat/shares/shares.schema";

export const meta = pageTitle("Shared Conversation");

const { loader } = screen({
  access: "signed-in",
  query: SharedPage,
  load: ({ actor, params, query }) => readSharedConversation(actor, params.conversationId ?? "", query.page),
});

export { loader };

export default function SharedConversation() {
  const { id, title, owner, sharedAt, messages, renderings, pageInfo } = useLoaderData<typeof loader>();
  return (
    <div className="mx-auto max-w-4xl">
      <PageHeader
        title={toDisplayText(title)}
        subtitle={
          <>
            Shared by {owner.name}, as it was <RelativeTime at={sharedAt} style="running" />
          </>
        }
        actions={<BackLink to="/chat/shared">Shared with Me</BackLink>}
      />
      <div className="flex flex-col gap-6">
        <SharedMessages messages={messages} renderings={renderings} asker={owner.name} />
        <Pagination pageInfo={pageInfo} label="Messages" to={(page) => `/chat/shared/${id}?page=${page}`} />
      </div>
    </div>
  );
}
