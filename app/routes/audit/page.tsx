import { useLoaderData, useSearchParams } from "@remix-run/react";
import { ScrollText } from "lucide-react";
import { AuditQuery } from "~/features/audit/audit.schema";
import { listAudit } from "~/features/audit/audit.service.server";
import { AuditList } from "~/features/audit/components/audit-list";
import { TrailNotice } from "~/features/audit/components/trail-notice";
import { acceptTrail, readTrailProblem } from "~/features/audit/trail.service.server";
import { may } from "~/features/members/authorisation.server";
import { namesOfMembers } from "~/features/members/member.service.server";
import { intent, screen } from "~/http/screen.server";
import { LinkButton } from "~/ui/button";
import { Card } from "~/ui/card";
import { EmptyState } from "~/ui/empty-state";
import { keepWhileOpening } from "~/ui/keep-while-opening";
import { PageHeader } from "~/ui/page-header";
import { titled } from "~/ui/titled";

const HERE = "/audit";

export const meta = titled("Audit Log");

const { loader, action } = screen({
  access: "signed-in",
  load: ({ actor, url }) => ({
    ...listAudit(actor, {
      limit: AuditQuery.parse({}).limit,
      cursor: url.searchParams.get("cursor") ?? undefined,
    }),
    people: namesOfMembers(actor),
    everyone: may(actor, "audit.all"),
    problem: readTrailProblem(actor),
  }),
  actions: {
    accept: intent({
      access: "safeguards.disable",
      run: ({ actor }) => acceptTrail(actor),
      done: "Audit trail accepted",
      failed: { dialog: "Couldn't accept the audit trail" },
    }),
  },
});

/** Its dialogs show what the page has. */
const shouldRevalidate = keepWhileOpening();

export { action, loader, shouldRevalidate };

export default function AuditLog() {
  const { entries, people, next, everyone, problem } = useLoaderData<typeof loader>();
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
          <AuditList entries={entries} people={people} />
        </Card>
      )}
    </>
  );
}
