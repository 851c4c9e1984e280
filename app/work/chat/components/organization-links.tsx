import { Form } from "@remix-run/react";
import { Button } from "~/ui/button";
import { Card } from "~/ui/card";
import { usePageAddress } from "~/ui/page-address";
import { type PageInfo, Pagination } from "~/ui/pagination";
import { RelativeTime } from "~/ui/time";
import type { OrganizationLink } from "../shares/shares.schema";

interface OrganizationLinksProps {
  links: readonly OrganizationLink[];
  pageInfo: PageInfo;
}

export function OrganizationLinks({ links, pageInfo }: OrganizationLinksProps) {
  const address = usePageAddress();
  if (links.length === 0) return null;
  return (
    <Card
      id="links"
      title="Public Links"
      description="Read-only links to conversations. They open without an account."
    >
      <ul className="flex flex-col divide-y divide-line">
        {links.map(({ id, owner, createdAt, expiresAt, lastOpenedAt, opens }) => (
          <li key={id} className="flex flex-wrap items-center gap-x-4 gap-y-2 py-3 first:pt-0 last:pb-0">
            <div className="min-w-0 flex-1">
              <p className="break-words font-medium">{owner.name}</p>
              <p className="text-muted text-xs">
                Created <RelativeTime style="running" at={createdAt} />
                {expiresAt && (
                  <>
                    , expires <RelativeTime style="running" at={expiresAt} />
                  </>
                )}
                {lastOpenedAt && (
                  <>
                    , last opened <RelativeTime style="running" at={lastOpenedAt} />
                  </>
                )}
                {!opens && ". Doesn't open: this member can't share now"}
              </p>
            </div>
            <Form method="post" preventScrollReset>
              <input type="hidden" name="id" value={id} />
              <Button
                size="sm"
                name="intent"
                value="revoke-link"
                aria-label={`Revoke the link of ${owner.name}`}
              >
                Revoke
              </Button>
            </Form>
          </li>
        ))}
      </ul>
      <Pagination
        pageInfo={pageInfo}
        label="Public links"
        to={(page) => `${address({ links: String(page) })}#links`}
      />
    </Card>
  );
}
