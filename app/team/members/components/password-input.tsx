import { Eye, EyeOff } from "lucide-react";
import { type ComponentPropsWithRef, useState } from "react";
import { IconButton } from "~/ui/button";
import { useHydrated } from "~/ui/hydration";
import { Input } from "~/ui/input";

/** With a button to show it, with JavaScript. */
export function PasswordInput(props: Omit<ComponentPropsWithRef<"input">, "type">) {
  const hydrated = useHydrated();
  const [isVisible, setVisible] = useState(false);
  return (
    <span className="relative flex">
      <Input {...props} type={isVisible ? "text" : "password"} className="pr-10 pointer-coarse:pr-12" />
      {/* On plain pages a script of root.tsx reveals it. */}
      <span
        data-show-password=""
        hidden={!hydrated}
        className="absolute inset-y-0 right-0.5 flex items-center"
      >
        <IconButton
          type="button"
          label={isVisible ? "Hide password" : "Show password"}
          icon={isVisible ? <EyeOff /> : <Eye />}
          onClick={() => setVisible(!isVisible)}
        />
      </span>
    </span>
  );
}
