import { Form } from "@remix-run/react";
import { ArrowDown, ArrowUp, Pencil, PlugZap, RefreshCw, Trash2 } from "lucide-react";
import { Button, IconButton, IconLink } from "~/ui/button";
import type { Provider } from "../models.schema";

interface ProviderActionsProps {
  provider: Provider;
  /** Its place among the providers, from 1, and how many there are. */
  place: number;
  of: number;
  /** The intent that is under way for this provider. */
  running: FormDataEntryValue | null;
  dialogTo: (dialog: "edit-provider" | "delete-provider") => string;
}

/** What can be done to a provider, at the foot of its card. */
export function ProviderActions({ provider, place, of, running, dialogTo }: ProviderActionsProps) {
  const { id, displayName } = provider;
  return (
    <>
      <Form method="post" preventScrollReset className="flex flex-wrap gap-2">
        <input type="hidden" name="id" value={id} />
        <Button
          size="sm"
          name="intent"
          value="test-provider"
          icon={<PlugZap aria-hidden="true" />}
          pending={running === "test-provider"}
        >
          Test Connection
        </Button>
        <Button
          size="sm"
          name="intent"
          value="refresh-provider"
          icon={<RefreshCw aria-hidden="true" />}
          pending={running === "refresh-provider"}
        >
          Refresh Models
        </Button>
      </Form>
      <span className="ml-auto flex gap-1">
        {of > 1 && (
          <Form method="post" preventScrollReset className="flex gap-1">
            <input type="hidden" name="intent" value="move-provider" />
            <input type="hidden" name="id" value={id} />
            <IconButton
              name="direction"
              value="up"
              label={`Move ${displayName} up`}
              icon={<ArrowUp />}
              disabled={place === 1}
            />
            <IconButton
              name="direction"
              value="down"
              label={`Move ${displayName} down`}
              icon={<ArrowDown />}
              disabled={place === of}
            />
          </Form>
        )}
        <IconLink
          to={dialogTo("edit-provider")}
          preventScrollReset
          label={`Edit ${displayName}`}
          icon={<Pencil />}
        />
        <IconLink
          to={dialogTo("delete-provider")}
          preventScrollReset
          label={`Delete ${displayName}`}
          icon={<Trash2 />}
        />
      </span>
    </>
  );
}
