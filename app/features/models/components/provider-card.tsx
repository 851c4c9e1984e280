import { Form, useNavigation } from "@remix-run/react";
import { Pencil, PlugZap, RefreshCw, Trash2 } from "lucide-react";
import { Badge, StatusDot } from "~/ui/badge";
import { Button, IconLink } from "~/ui/button";
import { Card } from "~/ui/card";
import { Notice } from "~/ui/notice";
import { RelativeTime } from "~/ui/time";
import { ToggleButton } from "~/ui/toggle-button";
import type { Provider, ProviderTest, ProviderTypeInfo } from "../models.schema";

interface ProviderCardProps {
  provider: Provider;
  type: ProviderTypeInfo | undefined;
  /** What the last test of its connection found, right after it. */
  test?: ProviderTest | undefined;
  /** Builds the address of a dialog about this provider. */
  dialogTo: (dialog: "edit-provider" | "delete-provider") => string;
}

/** One provider with everything that can be done to it. */
export function ProviderCard({ provider, type, test, dialogTo }: ProviderCardProps) {
  const navigation = useNavigation();
  const running = navigation.formData?.get("id") === provider.id ? navigation.formData.get("intent") : null;
  const extra = Array.isArray(provider.config.models) ? provider.config.models.length : 0;
  return (
    <Card
      title={<span className="break-words">{provider.displayName}</span>}
      description={type?.label ?? provider.provider}
      actions={
        <span className="flex items-center gap-2">
          <Badge
            tone={provider.enabled ? "success" : "neutral"}
            icon={<StatusDot tone={provider.enabled ? "success" : "neutral"} />}
          >
            {provider.enabled ? "Active" : "Disabled"}
          </Badge>
          <Form method="post" preventScrollReset>
            <input type="hidden" name="id" value={provider.id} />
            <input type="hidden" name="enabled" value={provider.enabled ? "false" : "true"} />
            <ToggleButton
              on={provider.enabled}
              label={`${provider.displayName} enabled`}
              intent="toggle-provider"
              pending={running === "toggle-provider"}
            />
          </Form>
        </span>
      }
      footer={
        <>
          <Form method="post" preventScrollReset className="flex flex-wrap gap-2">
            <input type="hidden" name="id" value={provider.id} />
            <Button
              size="sm"
              name="intent"
              value="test-provider"
              icon={<PlugZap aria-hidden="true" />}
              pending={running === "test-provider"}
            >
              Test connection
            </Button>
            <Button
              size="sm"
              name="intent"
              value="refresh-provider"
              icon={<RefreshCw aria-hidden="true" />}
              pending={running === "refresh-provider"}
            >
              Refresh models
            </Button>
          </Form>
          <span className="ml-auto flex gap-1">
            <IconLink
              to={dialogTo("edit-provider")}
              preventScrollReset
              label={`Edit ${provider.displayName}`}
              icon={<Pencil />}
            />
            <IconLink
              to={dialogTo("delete-provider")}
              preventScrollReset
              label={`Delete ${provider.displayName}`}
              icon={<Trash2 />}
            />
          </span>
        </>
      }
    >
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1 text-sm">
        <dt className="text-muted">Address</dt>
        <dd className="truncate">{String(provider.config.baseUrl ?? type?.defaultBaseUrl ?? "")}</dd>
        <dt className="text-muted">Models</dt>
        <dd>
          {provider.models.length + extra}
          {provider.modelsAt && (
            <span className="text-muted">
              {" · "}
              <RelativeTime at={provider.modelsAt} />
            </span>
          )}
        </dd>
        <dt className="text-muted">Added</dt>
        <dd>
          <RelativeTime at={provider.createdAt} />
        </dd>
      </dl>
      {test && (
        <Notice kind={test.ok ? "success" : "danger"} className="mt-3">
          {test.message} ({test.latencyMs} ms)
        </Notice>
      )}
    </Card>
  );
}
