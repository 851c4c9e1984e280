import { Link, type MetaFunction, useLoaderData, useParams } from "@remix-run/react";
import { screen } from "~/http/screen.server";
import { appNameOf } from "~/ui/page-header";
import { StoredPage } from "~/work/chat/components/stored-page";
import { readStoredPage } from "~/work/chat/read-page.service.server";

const { loader } = screen({
  access: "chat.use",
  load: ({ actor, params: { conversationId = "", callId = "" } }) =>
    readStoredPage(actor, conversationId, callId),
});

export { loader };

export const meta: MetaFunction<typeof loader> = ({ data, matches }) => [
  { title: `${data?.title ?? "Page"} · ${appNameOf(matches)}` },
];

/** A web page as a tool read it. */
export default function ChatSource() {
  const { conversation, ...page } = useLoaderData<typeof loader>();
  const { conversationId } = useParams();
  return (
    <>
      <p className="mb-4 text-sm">
        <Link to={`/chat/${conversationId}`} className="text-primary-ink underline">
          {conversation}
        </Link>
      </p>
      <StoredPage {...page} />
    </>
  );
}
