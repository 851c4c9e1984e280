import type { ComponentProps, ReactNode } from "react";
import { ApprovalsProvider } from "./approvals-context";
import { SharingProvider } from "./sharing-context";

interface ConversationProviderProps {
  sharing: ComponentProps<typeof SharingProvider>["value"];
  approvals: ComponentProps<typeof ApprovalsProvider>["value"];
  children: ReactNode;
}

export function ConversationProvider({ sharing, approvals, children }: ConversationProviderProps) {
  return (
    <SharingProvider value={sharing}>
      <ApprovalsProvider value={approvals}>{children}</ApprovalsProvider>
    </SharingProvider>
  );
}
