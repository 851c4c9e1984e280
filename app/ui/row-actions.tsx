import { Form } from "@remix-run/react";
import { Ellipsis, Pencil, Trash2 } from "lucide-react";
import type { ReactNode } from "react";
import { IconButton, IconLink } from "./button";
import { cx } from "./class-names";
import { HiddenFields } from "./input";
import { Menu, MenuLink, MenuSubmit } from "./menu";

export type RowAction = {
  label: string;
  icon: ReactNode;
  /** Replaces "<label> <name>" if that isn't a phrase: "New link for Ana". */
  fullLabel?: string;
  reloadDocument?: boolean;
} & (
  | { to: string }
  | {
      values: Record<string, string>;
      post?: string;
    }
);

/** @param edit address of the dialog @param remove address of the dialog */
export const changeActions = (edit: string, remove: string): RowAction[] => [
  { label: "Edit", icon: <Pencil />, to: edit },
  { label: "Delete", icon: <Trash2 />, to: remove },
];

const MAX_ON_ROW = 2;

export function RowActions({ name, actions }: { name: string; actions: readonly RowAction[] }) {
  const quick = actions.slice(0, MAX_ON_ROW);
  const isSingle = actions.length === 1;
  return (
    <>
      <div className={cx("row-over row-actions shrink-0 items-center", isSingle ? "flex" : "hidden sm:flex")}>
        {quick.map((action) => (
          <QuickAction key={action.label} name={name} action={action} />
        ))}
      </div>
      {!isSingle && (
        <div className={cx("row-menu -mr-2 shrink-0", actions.length <= MAX_ON_ROW && "sm:hidden")}>
          <Menu
            label={`More actions for ${name}`}
            button={<Ellipsis aria-hidden="true" className="size-4" />}
            buttonClassName="grid size-8 place-items-center rounded-md text-muted hover:bg-hover hover:text-ink pointer-coarse:size-11"
          >
            {actions.map((action, index) => (
              <div key={action.label} className={index < MAX_ON_ROW ? "sm:hidden" : undefined}>
                <MenuAction name={name} action={action} />
              </div>
            ))}
          </Menu>
        </div>
      )}
    </>
  );
}

interface ActionProps {
  name: string;
  action: RowAction;
}

function QuickAction({ name, action }: ActionProps) {
  const label = action.fullLabel ?? `${action.label} ${name}`;
  if ("to" in action) {
    const { to, icon, reloadDocument } = action;
    return <IconLink to={to} label={label} icon={icon} reloadDocument={reloadDocument} preventScrollReset />;
  }
  return (
    <Form method="post" action={action.post} reloadDocument={action.reloadDocument} preventScrollReset>
      <HiddenFields values={action.values} />
      <IconButton label={label} icon={action.icon} />
    </Form>
  );
}

function MenuAction({ name, action }: ActionProps) {
  const { icon, label, fullLabel = `${label} ${name}`, reloadDocument } = action;
  const shown = { icon, label: fullLabel, reloadDocument, children: label };
  if ("to" in action) return <MenuLink to={action.to} {...shown} />;
  return <MenuSubmit action={action.post} values={action.values} {...shown} />;
}
