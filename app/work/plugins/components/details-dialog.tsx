import { Form } from "@remix-run/react";
import { BadgeCheck } from "lucide-react";
import { Badge } from "~/ui/badge";
import { Button, LinkButton } from "~/ui/button";
import { Dialog, DialogActions } from "~/ui/dialog";
import { countOf } from "~/ui/format";
import { GroupedOptions, Select } from "~/ui/input";
import type { Plugin } from "../plugins.schema";
import { InstallButton, priceOf, Stars } from "./plugin-card";
import { AlsoIncludes, Part, RequestsList, ToolList } from "./plugin-contents";

const STATUSES: Record<Plugin["status"], string> = {
  active: "Active",
  beta: "Beta",
  deprecated: "Deprecated",
};

const RATINGS = [5, 4, 3, 2, 1].map((stars) => ({ value: String(stars), label: countOf(stars, "star") }));

interface DetailsDialogProps {
  plugin: Plugin;
  ownRating: number | null;
  mayRate: boolean;
  closeTo: string;
  installTo: string | undefined;
}

export function DetailsDialog({ plugin, ownRating, mayRate, closeTo, installTo }: DetailsDialogProps) {
  return (
    <Dialog
      title={plugin.title}
      description={`${plugin.author} · version ${plugin.version}${plugin.listedBy ? ` · listed by ${plugin.listedBy}` : ""}`}
      closeTo={closeTo}
    >
      <div className="flex flex-col gap-5">
        <div className="flex flex-wrap items-center gap-1.5">
          {plugin.verified && (
            <Badge tone="primary" icon={<BadgeCheck />}>
              Verified
            </Badge>
          )}
          <Badge tone={plugin.pricing === "free" ? "success" : "secondary"}>{priceOf(plugin)}</Badge>
          <Badge tone={plugin.status === "active" ? "neutral" : "warning"}>{STATUSES[plugin.status]}</Badge>
          {plugin.tags.map((tag) => (
            <Badge key={tag}>{tag}</Badge>
          ))}
        </div>
        <p className="text-pretty">{plugin.description}</p>
        <p className="flex flex-wrap items-center gap-x-4 gap-y-1">
          <Stars rating={plugin.rating} ratings={plugin.ratings} />
          <span className="text-muted text-xs">{countOf(plugin.downloads, "install")}</span>
        </p>
        <Part title="Requested Permissions">
          <RequestsList plugin={plugin} />
        </Part>
        {plugin.kind !== "listed" && (
          <Part title="Tools">
            <ToolList tools={plugin.tools} />
          </Part>
        )}
        <AlsoIncludes plugin={plugin} />
        {mayRate && plugin.installed && (
          <Form method="post" preventScrollReset className="flex flex-wrap items-end gap-2">
            <input type="hidden" name="id" value={plugin.id} />
            <Select
              name="stars"
              defaultValue={String(ownRating ?? "")}
              aria-label="Your rating"
              className="w-40"
              required
            >
              {ownRating === null && <option value="">Your rating</option>}
              <GroupedOptions options={RATINGS} />
            </Select>
            <Button name="intent" value="rate">
              {ownRating === null ? "Rate" : "Change Rating"}
            </Button>
          </Form>
        )}
      </div>
      <DialogActions>
        <LinkButton to={closeTo} preventScrollReset data-focus-first="">
          Close
        </LinkButton>
        {plugin.purchaseUrl && (
          <a
            href={plugin.purchaseUrl}
            rel="noreferrer"
            className="inline-flex min-h-9 items-center rounded-md border border-line bg-raised px-3.5 font-medium text-sm pointer-coarse:min-h-11"
          >
            Get This Plugin
          </a>
        )}
        <InstallButton plugin={plugin} installTo={installTo} />
      </DialogActions>
    </Dialog>
  );
}
