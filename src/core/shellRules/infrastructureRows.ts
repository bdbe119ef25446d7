/** Rows for what describes infrastructure and puts it in place: Helm, Terraform, Pulumi and their kind. Pure data. */
import { isUnknown } from "./commandWords";
import { names, type ShellRule } from "./shellRule";

const TERRA = names("terraform tofu terragrunt");

export const INFRASTRUCTURE_ROWS: readonly ShellRule[] = [
  {
    id: "helm.remove",
    programs: names("helm helm3 helmfile"),
    verbs: ["uninstall|delete|del|un|rollback|destroy"],
    without: "--dry-run",
    reason: "It removes or turns back a release in a cluster.",
    suggestion: "helm status and helm history show it.",
    onceOnly: true,
    firesOn: ["helm uninstall web", "helm -n prod delete web", "helm rollback web 1", "helmfile destroy"],
    staysQuietOn: ["helm list", "helm uninstall web --dry-run", "helm template ./c"],
  },
  {
    id: "terraform.destroy",
    programs: TERRA,
    when: ({ words }) => {
      if (words.includes("plan") || words.includes("validate")) return false;
      if (words.some((word) => /^(destroy|--?destroy(=true)?)$/.test(word))) return true;
      if (words.includes("apply")) return words.some((word) => /^--?(auto-approve|replace)/.test(word));
      const state = words.indexOf("state");
      if (state >= 0) return /^(rm|push|mv|replace-provider)$/.test(words[state + 1] ?? "");
      return (
        (words.includes("workspace") && words.includes("delete")) ||
        words.some((word) => /^(force-unlock|taint)$/.test(word))
      );
    },
    reason: "It destroys or changes real infrastructure.",
    suggestion: "terraform plan shows what would change.",
    onceOnly: true,
    firesOn: [
      "terraform destroy",
      "terraform apply -destroy",
      "terraform apply -auto-approve",
      "terraform state rm a.b",
      "terragrunt run-all destroy",
      "terraform -chdir=a destroy",
      "terraform workspace delete prod",
    ],
    staysQuietOn: [
      "terraform plan",
      "terraform plan -destroy",
      "terraform init",
      "terraform state list",
      "terraform validate",
    ],
  },
  {
    id: "iac.destroy",
    programs: names(
      "pulumi cdk aws-cdk cdk8s cdktf serverless sls sam eksctl copilot amplify chalice zappa nomad consul vault etcdctl ansible-vault crossplane argocd flux kops capstan sst skaffold velero istioctl linkerd databricks influx zkcli.sh zkcli tilt garden devspace okteto",
    ),
    when: ({ words }) =>
      words.some((word) =>
        /^(destroy|down|delete|deleteall|rmr|permanent-delete|undeploy|remove|rm|purge|del|revoke|disable|uninstall|terminate|gc|-purge|--purge|--prune)$/.test(
          word,
        ),
      ) &&
      !words.some((word) => /^--?(dry-?run|preview|preview-only)(=|$)/.test(word)) &&
      !isUnknown(words[0] ?? ""),
    reason: "It destroys real infrastructure or what is stored there.",
    suggestion: "Look first with its list, preview or plan command.",
    onceOnly: true,
    firesOn: [
      "pulumi destroy -y",
      "pulumi stack rm prod",
      "pulumi down -y",
      "npx aws-cdk destroy",
      "skaffold delete",
      "velero backup delete b --confirm",
      "istioctl uninstall --purge",
      "vault secrets disable kv",
      "cdk destroy --all",
      "serverless remove",
      "sam delete",
      "eksctl delete cluster a",
      "consul kv delete -recurse a",
      "etcdctl del --prefix /",
      "vault kv metadata delete a",
      "nomad job stop -purge a",
    ],
    staysQuietOn: [
      "pulumi preview",
      "skaffold dev",
      "velero backup get",
      "istioctl analyze",
      "cdk diff",
      "vault kv get a",
      "consul kv get a",
    ],
  },
];
