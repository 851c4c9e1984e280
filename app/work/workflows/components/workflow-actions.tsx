import { Form } from "@remix-run/react";
import { Download, Ellipsis, Pencil, Play, Power, PowerOff, Trash2 } from "lucide-react";
import { Button, LinkButton } from "~/ui/button";
import { Menu, MenuLink, MenuSubmit } from "~/ui/menu";

/** Actions of a workflow's page. Enable is shown only while Run requires it. */
export function WorkflowActions({
  workflow: { id, enabled },
  deleteTo,
}: {
  workflow: { id: string; enabled: boolean };
  deleteTo: string;
}) {
  return (
    <>
      <LinkButton to={`/workflows/builder?id=${id}`} icon={<Pencil aria-hidden="true" />}>
        Edit
      </LinkButton>
      <Form method="post" className="flex gap-2">
        {!enabled && (
          <Button name="intent" value="enable" icon={<Power aria-hidden="true" />}>
            Enable
          </Button>
        )}
        <Button
          name="intent"
          value="run"
          variant="primary"
          icon={<Play aria-hidden="true" />}
          disabled={!enabled}
        >
          Run
        </Button>
      </Form>
      <Menu
        label="More actions"
        button={<Ellipsis aria-hidden="true" className="size-4" />}
        buttonClassName="grid size-9 cursor-pointer place-items-center rounded-md border border-line bg-raised text-ink shadow-card hover:bg-hover pointer-coarse:size-11"
      >
        {enabled && (
          <MenuSubmit icon={<PowerOff aria-hidden="true" />} values={{ intent: "disable" }}>
            Disable
          </MenuSubmit>
        )}
        <MenuLink to={`/workflows/${id}/export`} reloadDocument icon={<Download aria-hidden="true" />}>
          Export as JSON
        </MenuLink>
        <MenuLink to={deleteTo} icon={<Trash2 aria-hidden="true" />}>
          Delete
        </MenuLink>
      </Menu>
    </>
  );
}
