import { Form } from "@remix-run/react";
import { ArrowDown, ArrowUp } from "lucide-react";
import { IconButton } from "~/ui/button";
import type { Document } from "../documents.schema";
import { useChangesAddress } from "./addresses";

export type Direction = "up" | "down";

interface MoveButtonsProps {
  document: Document;
  isFirst: boolean;
  isLast: boolean;
  /** Moves it with JavaScript. @returns false if the form must be submitted instead */
  onMove: (id: string, direction: Direction) => boolean;
}

export function MoveButtons({ document, isFirst, isLast, onMove }: MoveButtonsProps) {
  const changes = useChangesAddress();
  const button = (direction: Direction, disabled: boolean) => (
    <IconButton
      name="direction"
      value={direction}
      data-move={`${document.id} ${direction}`}
      label={`Move ${document.name} ${direction}`}
      icon={direction === "up" ? <ArrowUp /> : <ArrowDown />}
      disabled={disabled}
      onClick={(event) => {
        if (onMove(document.id, direction)) event.preventDefault();
      }}
    />
  );
  return (
    <Form method="post" action={changes} preventScrollReset className="flex">
      <input type="hidden" name="intent" value="move" />
      <input type="hidden" name="id" value={document.id} />
      {button("up", isFirst)}
      {button("down", isLast)}
    </Form>
  );
}
