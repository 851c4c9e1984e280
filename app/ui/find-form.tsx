import { Form } from "@remix-run/react";
import { Search } from "lucide-react";
import { Button } from "./button";
import { Input } from "./input";

interface FindFormProps {
  action: string;
  label: string;
  find: string;
}

/** Searches the list of a page by its parameter `find`. */
export function FindForm({ action, label, find }: FindFormProps) {
  return (
    <Form role="search" action={action} className="mb-4 flex max-w-md gap-2">
      <Input
        key={find}
        type="search"
        name="find"
        defaultValue={find}
        maxLength={100}
        aria-label={label}
        placeholder={label}
      />
      <Button icon={<Search />}>Search</Button>
    </Form>
  );
}
