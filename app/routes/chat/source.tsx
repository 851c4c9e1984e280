import { Link, type MetaFunction, useLoaderData, useParams } from "@remix-run/react";
import { ExternalLink } from "lucide-react";
import { screen } from "~/http/screen.server";
import { appNameOf, PageHeader } from "~/ui/page-header";
import { RelativeTime } from "~/ui/time";
import { linkTarget } from "~/work/chat/markdown/link-target.shared";
import { readStoredPage } from "~/work/chat/screen.service.server";

const { loader } = screen({
  access: "chat.use",
  load: ({ actor, params: { conversationId = "", callId = "" } }) =>
    readStoredPage(actor, conversationId, callId),
});

export { loader };

export const meta: MetaFunction<typeof loader> = ({ data, matches }) => [
  { title: `${data?.title ?? "Page"} · ${appNameOf(matches)}` },
];

export default function ChatSource() {
  const { conversation, url, title, readAt, pieces } = useLoaderData<typeof loader>();
  const target = linkTarget(url);
  const { conversationId } = useParams();
  return (
    <>
      <p className="mb-4 text-sm">
        <Link to={`/chat/${conversationId}`} className="text-primary-ink underline">
          {conversation}
        </Link>
      </p>
      <article className="max-w-[48rem]">
        <PageHeader
          title={title}
          subtitle={
            <>
              Read <RelativeTime at={readAt} style="running" /> from{" "}
              <bdi dir="ltr" className="wrap-anywhere">
                {url}
              </bdi>
            </>
          }
          actions={
            target && (
              <a
                href={target.href}
                target="_blank"
                rel="noopener noreferrer nofollow"
                className="inline-flex min-h-9 items-center gap-2 text-primary-ink text-sm underline pointer-coarse:min-h-11 [&_svg]:size-4"
              >
                <ExternalLink aria-hidden="true" />
                Open the page
              </a>
            )
          }
        />
        <p dir="auto" className="prose-qd wrap-anywhere whitespace-pre-wrap">
          {pieces.map(({ text, quoted }, index) =>
            quoted ? (
              // biome-ignore lint/suspicious/noArrayIndexKey: a piece is identified by its position.
              <mark key={index} className="rounded-xs bg-warning-soft text-warning-ink">
                {text}
              </mark>
            ) : (
              text
            ),
          )}
        </p>
      </article>
    </>
  );
}
