import { useActionData, useLoaderData } from "@remix-run/react";
import { ServerCog } from "lucide-react";
import { intent, screen } from "~/http/screen.server";
import { readStandby, takeOver } from "~/team/backups/standby.service.server";
import { Button, LinkButton } from "~/ui/button";
import { Card } from "~/ui/card";
import { EmptyState } from "~/ui/empty-state";
import { FactList } from "~/ui/fact-list";
import { Notice } from "~/ui/notice";
import { PageHeader, pageTitle } from "~/ui/page-header";

export const meta = pageTitle("Take Over");

const { loader, action } = screen({
  access: "backup.manage",
  load: ({ actor }) => readStandby(actor),
  actions: {
    "take-over": intent({
      access: "backup.manage",
      run: ({ actor }) => takeOver(actor),
      done: { to: "/", toast: "This console has taken over" },
      failed: { dialog: "Couldn't take over" },
    }),
  },
});

export { action, loader };

export default function Standby() {
  const { isStandby, own, former, obstacle } = useLoaderData<typeof loader>();
  const failed = useActionData<typeof action>()?.failed;
  const problem = failed?.description ?? obstacle;
  if (!isStandby)
    return (
      <EmptyState
        level={1}
        icon={<ServerCog />}
        title="This console isn't a standby"
        description="It works by itself, so there is nothing to take over."
        action={
          <LinkButton to="/settings/system" variant="primary">
            Open System
          </LinkButton>
        }
      />
    );
  const facts = [
    ["Former replica", former ?? "Unknown"],
    ["Own replica", own ?? "Not set"],
  ] as const;
  return (
    <>
      <PageHeader title="Take Over" subtitle="Make this standby the console that works" />
      <Card title="Before you take over" className="max-w-2xl">
        <div className="flex flex-col gap-4">
          <p>
            Make sure that the former console is off and can't start again by itself. If both run, schedules,
            delays and messages happen twice. Waiting jobs, schedules and workflow runs continue here at once.
          </p>
          <FactList facts={facts} />
          {problem && <Notice kind="danger">{problem}</Notice>}
          {obstacle === null && (
            <form method="post">
              <Button name="intent" value="take-over" variant="primary">
                Take Over
              </Button>
            </form>
          )}
        </div>
      </Card>
    </>
  );
}
