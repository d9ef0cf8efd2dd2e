/**
 * A gateway for a test: hc as a real process beside a stand-in for the proxy, both ended with the test.
 */
import { FakeProxy } from "./hc-fake-proxy.ts";
import { HcProcess, type Owner } from "./hc-process.ts";

/** Starts both; hc answers, and the proxy is ready. */
export async function fakeGateway(
  owner: Owner,
  env: Record<string, string> = {},
): Promise<{ readonly proxy: FakeProxy; readonly hc: HcProcess }> {
  const proxy = new FakeProxy();
  await proxy.start();
  owner.after(() => proxy.stop());
  const hc = await HcProcess.start(owner, { ...proxy.environment, ...env });
  return { proxy, hc };
}
