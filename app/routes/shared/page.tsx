import { data, type HeadersFunction } from "@remix-run/node";
import { type MetaFunction, useLoaderData, useRouteLoaderData } from "@remix-run/react";
import { toDisplayText } from "~/core/well-formed";
import { screen } from "~/http/screen.server";
import { BrandLogo } from "~/ui/logo";
import { appNameOf, PageHeader } from "~/ui/page-header";
import { Pagination } from "~/ui/pagination";
import { SharedMessages } from "~/work/chat/components/shared-messages";
import { openShareLink } from "~/work/chat/shares/shared-conversations.service.server";
import { SharedPage } from "~/work/chat/shares/shares.schema";

/** The address is a secret: no indexing, referrer or cache. */
const HEADERS = {
  "X-Robots-Tag": "noindex, nofollow",
  "Referrer-Policy": "no-referrer",
  "Cache-Control": "private, no-store",
};

const { loader } = screen({
  access: "public",
  query: SharedPage,
  load: async ({ params: { token = "" }, query, context }) => {
    const shared = await openShareLink(token, query.page, context.address ?? "");
    return data({ shared, token: shared ? token : "" }, { status: shared ? 200 : 404, headers: HEADERS });
  },
});

export { loader };

export const headers: HeadersFunction = () => HEADERS;

export const meta: MetaFunction<typeof loader> = ({ data: loaded, matches }) => [
  { title: `${loaded?.shared ? toDisplayText(loaded.shared.title) : "Not found"} · ${appNameOf(matches)}` },
  { name: "robots", content: "noindex, nofollow" },
  { name: "referrer", content: "no-referrer" },
];

export default function SharedLink() {
  const { shared, token } = useLoaderData<typeof loader>();
  if (!shared) {
    return (
      <main className="mx-auto flex min-h-dvh max-w-xl flex-col items-center justify-center px-4 py-12 text-center">
        <div className="mb-6">
          <Brand />
        </div>
        <h1 className="text-lg">404 Page Not Found</h1>
        <p className="mt-2 text-muted">
          This link doesn't work. Ask the person who sent it to share the conversation again.
        </p>
      </main>
    );
  }
  return (
    <main className="mx-auto max-w-3xl px-4 py-8">
      <div className="mb-8 border-line border-b pb-4">
        <Brand />
      </div>
      <PageHeader title={toDisplayText(shared.title)} subtitle="Shared conversation, read-only" />
      <div className="flex flex-col gap-6">
        <SharedMessages messages={shared.messages} renderings={shared.renderings} asker="User" />
        <Pagination
          pageInfo={shared.pageInfo}
          label="Messages"
          to={(page) => `/shared/${token}?page=${page}`}
        />
      </div>
    </main>
  );
}

function Brand() {
  const root = useRouteLoaderData<{ appName: string; logoUrl: string; initial: string }>("root");
  return (
    <p className="flex min-w-0 items-center gap-3 font-medium text-muted text-sm">
      <BrandLogo src={root?.logoUrl ?? ""} initial={root?.initial ?? ""} />
      <span className="wrap-anywhere min-w-0">{root?.appName}</span>
    </p>
  );
}
