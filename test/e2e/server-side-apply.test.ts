/**
 * The registration between two owners: whoever applies the chart on the server side, and the replicas that fill in caBundle.
 *
 * A server-side apply removes a webhook only where nobody else owns a field of it. So the names of the webhooks are part
 * of the chart's interface, and stay.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { registrations } from "../../src/kube/registrations.ts";
import { type JsonObject, objectsAt, textAt } from "../../src/pod/json.ts";
import { apiOf } from "../integration/cluster-worlds.ts";
import { type ApiServer, startApiServer } from "./api-server.ts";
import { CLUSTER_NAME, render } from "./chart.ts";
import { etcd, helm, kubernetes } from "./install/components.ts";
import { bundlesIn, CONFIGURATION } from "./installed.ts";

const helmBinary = helm();
const apiserver = kubernetes("kube-apiserver", "1.35.4");
const etcdServer = etcd();
const skip = helmBinary.missing ?? apiserver.missing ?? etcdServer.missing ?? false;

let api: ApiServer;
let chart: JsonObject;

describe("the registration under server-side apply", { skip }, () => {
  before(async () => {
    api = await startApiServer({ apiserver: apiserver.path, etcd: etcdServer.path });
    chart = render(helmBinary.path).objects.find(({ kind }) => kind === "MutatingWebhookConfiguration") ?? {};
    assert.equal((await apply(chart)).status, 201);
    const kept = registrations(apiOf(api.kubeconfig()), [{ kind: "MutatingWebhookConfiguration", name: CLUSTER_NAME }]);
    for (const registration of await kept.read()) await kept.publish(registration, "a bundle\n");
  });

  after(async () => api?.stop());

  const apply = (object: JsonObject) => api.call("PATCH", `${CONFIGURATION}?fieldManager=kubectl`, object);
  const names = async () => objectsAt((await api.call("GET", CONFIGURATION)).body, "webhooks").map(({ name }) => name);

  it("has webhooks of these names, which never change", async () => {
    assert.deepEqual(await names(), ["namespace.gracegate.dev", "object.gracegate.dev"]);
    const review = render(helmBinary.path).objects.find(({ kind }) => kind === "ValidatingWebhookConfiguration");
    assert.deepEqual(
      objectsAt(review, "webhooks").map(({ name }) => name),
      ["review.gracegate.dev", "policies.gracegate.dev"],
    );
  });

  it("keeps its caBundles when the chart is applied again, without a conflict", async () => {
    const answer = await apply(chart);
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    assert.deepEqual(await bundlesIn(api), ["a bundle\n", "a bundle\n"]);
  });

  const renamed = () => {
    const [first, ...others] = objectsAt(chart, "webhooks");
    return { ...chart, webhooks: [{ ...first, name: "renamed.gracegate.dev" }, ...others] };
  };

  it("would be refused with another name: what the replicas own of the old one stays, and is no webhook", async () => {
    const { status, body } = await apply(renamed());
    assert.equal(status, 422, JSON.stringify(body));
    assert.match(textAt(body, "message") ?? "", /webhooks\[\d\]\.sideEffects/);
  });

  it("takes another name by a merge, as helm 3 sends it", async () => {
    const merge = {
      webhooks: [{ $patch: "delete", name: "namespace.gracegate.dev" }, ...renamed().webhooks.slice(0, 1)],
    };
    const answer = await api.call("PATCH", CONFIGURATION, merge, "application/strategic-merge-patch+json");
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    assert.deepEqual((await names()).toSorted(), ["object.gracegate.dev", "renamed.gracegate.dev"]);
  });
});
