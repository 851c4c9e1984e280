import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData, useSearchParams } from "@remix-run/react";
import { ScrollText } from "lucide-react";
import { AuditQuery } from "~/features/audit/audit.schema";
import { listAudit } from "~/features/audit/audit.service.server";
import { AuditList } from "~/features/audit/components/audit-list";
import { TrailNotice } from "~/features/audit/components/trail-notice";
import { acceptTrail, readTrailProblem } from "~/features/audit/trail.service.server";
import { authorise, may } from "~/features/members/authorisation.server";
import { requireScreenActor } from "~/http/authentication.server";
import { onScreen } from "~/http/form.server";
import { orToast, refuseIntent, takeField } from "~/http/intents.server";
import { readForm } from "~/http/read-body.server";
import { redirectWithToast } from "~/http/toast.server";
import { LinkButton } from "~/ui/button";
import { Card } from "~/ui/card";
import { EmptyState } from "~/ui/empty-state";
import { PageHeader } from "~/ui/page-header";
import { titled } from "~/ui/titled";

const HERE = "/audit";

export const meta = titled("Audit Log");

export function loader({ request, context }: LoaderFunctionArgs) {
  return onScreen(context, () => {
    const actor = requireScreenActor(request, context);
    const cursor = new URL(request.url).searchParams.get("cursor") ?? undefined;
    const { limit } = AuditQuery.parse({});
    return {
      ...listAudit(actor, { limit, cursor }),
      everyone: may(actor, "audit.all"),
      problem: readTrailProblem(actor),
    };
  });
}

export function action({ request, context }: ActionFunctionArgs) {
  return onScreen(context, async () => {
    const actor = requireScreenActor(request, context);
    authorise(actor, "safeguards.disable");
    const form = await readForm(request);
    if (takeField(form, "intent") !== "accept") refuseIntent();
    return orToast(HERE, "The trail was not accepted", context, async () => {
      await acceptTrail(actor);
      return redirectWithToast(HERE, { kind: "success", title: "Audit trail accepted" }, context);
    });
  });
}

export default function AuditLog() {
  const { entries, next, everyone, problem } = useLoaderData<typeof loader>();
  const [search] = useSearchParams();
  const older = search.has("cursor");
  return (
    <>
      <PageHeader title="Audit Log" subtitle="System activity and security events" />
      {problem && (
        <TrailNotice
          problem={problem}
          closeTo={HERE}
          acceptTo={`${HERE}?dialog=accept`}
          isOpen={search.get("dialog") === "accept"}
        />
      )}
      {entries.length === 0 ? (
        <EmptyState
          icon={<ScrollText />}
          title="No audit logs found"
          description="Audit logs will appear here as system activities occur"
        />
      ) : (
        <Card
          title={everyone ? "Everyone's activity" : "Your own activity"}
          footer={
            (next || older) && (
              <>
                {older && <LinkButton to="/audit">Newest</LinkButton>}
                {next && (
                  <LinkButton to={`/audit?cursor=${encodeURIComponent(next)}`}>Load More Logs</LinkButton>
                )}
              </>
            )
          }
        >
          <AuditList entries={entries} />
        </Card>
      )}
    </>
  );
}
