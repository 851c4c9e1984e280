import { Form } from "@remix-run/react";
import { LogOut, MonitorSmartphone } from "lucide-react";
import { Badge } from "~/ui/badge";
import { Button } from "~/ui/button";
import { Card } from "~/ui/card";
import { Row } from "~/ui/row";
import { RowList } from "~/ui/row-selection";
import { RelativeTime } from "~/ui/time";
import type { SessionInfo } from "../members.schema";
import { browserName } from "./browser-name";

export function SessionsCard({ sessions }: { sessions: SessionInfo[] }) {
  return (
    <Card
      id="sessions"
      title="Sessions"
      description="Active sessions"
      footer={
        <Form method="post">
          <Button name="intent" value="sign-out-everywhere">
            Sign Out Everywhere
          </Button>
        </Form>
      }
    >
      <RowList label="Active sessions" flush>
        {sessions.map((session) => (
          <Row
            key={session.id}
            name={browserName(session.userAgent)}
            icon={<MonitorSmartphone aria-hidden="true" />}
            state={session.current && <Badge tone="success">This browser</Badge>}
            meta={
              <>
                {session.address ? `${session.address} · last` : "Last"} seen{" "}
                <RelativeTime at={session.lastSeenAt} style="running" />
              </>
            }
            actions={
              session.current
                ? []
                : [
                    {
                      label: "Sign Out",
                      icon: <LogOut />,
                      values: { intent: "end-session", id: session.id },
                    },
                  ]
            }
          />
        ))}
      </RowList>
    </Card>
  );
}
