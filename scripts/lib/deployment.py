"""Checks of the files of deploy/, for scripts/check-deployment. Each is a verb with the files that it reads as arguments."""

import json
import re
import sys
import time
import urllib.parse
import urllib.request

import yaml


def fail(text):
    sys.exit(f"error: check-deployment: {text}")


def documents(path):
    return [each for each in yaml.safe_load_all(open(path)) if each]


def manifests(keda, whole=None):
    """KEDA's objects by its schemas, and names that one object has from another one."""
    from cloudcoil.models.keda import v1alpha1

    objects = documents(keda)
    ours = [each for each in objects if each["apiVersion"] == "keda.sh/v1alpha1"]
    if len(ours) != 2:
        fail(f"{keda} has {len(ours)} objects of KEDA")
    for each in ours:
        getattr(v1alpha1, each["kind"]).model_validate(each)
    scaled = next(each for each in ours if each["kind"] == "ScaledObject")["spec"]
    # KEDA's operator runs in another namespace, where a short name is nobody's.
    host = scaled["triggers"][0]["metadata"]["host"]
    if not re.fullmatch(r"[\w-]+\.[\w-]+\.svc(\.cluster\.local)?", host):
        fail(f"{keda}: the host {host} has no namespace in its name, and KEDA asks from another one")
    if whole is None:
        return
    objects += documents(whole)
    names = {(each["kind"], each["metadata"]["name"]) for each in objects}
    target = scaled["scaleTargetRef"]
    wanted = [(target["kind"], target["name"])]
    wanted += [("Secret", each["name"]) for each in ours[0]["spec"]["secretTargetRef"]]
    wanted += [("Service", host.split(".")[0])]
    sets = {each["metadata"]["name"]: each["spec"]["replicas"] for each in objects if each["kind"] == "StatefulSet"}
    for each in objects:
        text = json.dumps(each)
        wanted += [("Secret", name) for name in re.findall(r'"secretKeyRef": \{"key": "\w+", "name": "([^"]+)"', text)]
        wanted += [("Secret", name) for name in re.findall(r'"secretName": "([^"]+)"', text)]
        wanted += [("PersistentVolumeClaim", name) for name in re.findall(r'"claimName": "([^"]+)"', text)]
        wanted += [("Service", name) for name in re.findall(r"@([\w-]+)/spool", text)]
        # Workers call pods by their own names, of which there are as many as the set has replicas.
        for ordinal, service in re.findall(r"tcp://[\w-]+-(\d+)\.([\w-]+):", text):
            wanted.append(("Service", service))
            if int(ordinal) >= sets.get(service, 0):
                fail(f"a worker calls {service}-{ordinal}, and there are {sets.get(service, 0)}")
    missing = [each for each in wanted if each not in names]
    if missing:
        fail(f"nothing has these names: {missing}")
    standing = [each for each in objects if each["kind"] == "StatefulSet" and each["metadata"]["name"] == "spool-coordinator"]
    if standing[0]["spec"]["replicas"] < 2:
        fail("no coordinator stands by")
    # Where the database is away, no pod is ready, and a budget that waits for ready ones would keep each node from being drained.
    waiting = [each["metadata"]["name"] for each in objects
               if each["kind"] == "PodDisruptionBudget" and each["spec"].get("unhealthyPodEvictionPolicy") != "AlwaysAllow"]
    if waiting:
        fail(f"these budgets keep nodes with pods that are not ready: {waiting}")
    pod = next(each for each in objects if each["kind"] == target["kind"] and each["metadata"]["name"] == target["name"])["spec"]["template"]["spec"]
    slots = sum(int(word.removeprefix("--slots=")) for word in pod["containers"][0]["args"] if word.startswith("--slots="))
    if int(scaled["triggers"][0]["metadata"]["targetQueryValue"]) != 600 * slots:
        fail(f"{keda}: a pod has {slots} slots, and so ten minutes of work are {600 * slots} s")
    print(f"{len(objects)} objects, {len(wanted)} names that exist")


def compose(path, make_secrets):
    """The names that a compose file's services have from each other."""
    file = yaml.safe_load(open(path))
    made = open(make_secrets).read()
    for name, service in file["services"].items():
        for key in ("networks", "secrets"):
            lost = [each for each in service.get(key, []) if each not in file[key]]
            if lost:
                fail(f"{path}: {name} has {key} that are not there: {lost}")
        lost = [each for each in service.get("depends_on", []) if each not in file["services"]]
        if lost:
            fail(f"{path}: {name} depends on {lost}, which is not there")
        words = [str(word) for word in service.get("command") or []] + list((service.get("environment") or {}).values())
        for secret in re.findall(r"/run/secrets/([\w.-]+)", " ".join(map(str, words))):
            if secret not in service.get("secrets", []):
                fail(f"{path}: {name} reads the secret {secret}, which it does not have")
        for host in re.findall(r"(?:tcp://|@)([a-z][\w-]*)[:/]", " ".join(map(str, words))):
            if host not in file["services"]:
                fail(f"{path}: {name} calls {host}, which is no service")
            if not set(service["networks"]) & set(file["services"][host]["networks"]):
                fail(f"{path}: {name} calls {host}, and they have no network in common")
    for name, secret in file["secrets"].items():
        stem = secret["file"].removeprefix("./secrets/")
        if not any(part in made for part in (stem, stem.removesuffix(".pgpass"))) and not stem.startswith("worker-"):
            fail(f"{path}: nothing makes the secret {stem}")
    coordinators = [name for name in file["services"] if name.startswith("coordinator")]
    if len(coordinators) < 2 or "console" not in file["services"]:
        fail(f"{path}: there is no standby coordinator, or no console")
    print(f"{len(file['services'])} services fit together")


def alerts(rules, tests):
    """Each alert is tried, both where it is to come and where it is not."""
    names = [rule["alert"] for group in yaml.safe_load(open(rules))["groups"] for rule in group["rules"] if "alert" in rule]
    tried = [each for test in yaml.safe_load(open(tests))["tests"] for each in test.get("alert_rule_test", [])]
    for name in names:
        kinds = {bool(each["exp_alerts"]) for each in tried if each["alertname"] == name}
        if kinds != {True, False}:
            fail(f"{tests} does not try whether {name} comes, and whether it stays away")
    print(f"{len(names)} alerts are tried")


def trigger(keda):
    scaled = next(each for each in documents(keda) if each["kind"] == "ScaledObject")
    return scaled["spec"]["triggers"][0]["metadata"]


def prometheus(server, console, rules, dashboard):
    """Each query of the dashboard, and each rule, is answered by a Prometheus that scrapes consoles."""

    def ask(path, **query):
        with urllib.request.urlopen(f"{server}/api/v1/{path}?{urllib.parse.urlencode(query)}", timeout=20) as answer:
            return json.load(answer)["data"]

    deadline = time.monotonic() + 60
    while True:
        try:
            # Rates need two values.
            if all(int(each["value"][1]) >= 4 for each in ask("query", query='count_over_time(up{job="spool"}[1m])')["result"] or [{"value": [0, 0]}]):
                break
        except OSError:
            pass
        if time.monotonic() > deadline:
            fail("Prometheus does not scrape the consoles")
        for path in ("/api/v1/farm", "/api/v1/jobs"):
            urllib.request.urlopen(console + path, timeout=20).read()
        time.sleep(0.5)
    if [each["value"][1] for each in ask("query", query='up{job="spool"}')["result"]] != ["1", "1"]:
        fail("Prometheus cannot scrape the consoles")
    known = set(ask("label/__name__/values"))
    groups = ask("rules")["groups"]
    sick = [rule["name"] for group in groups for rule in group["rules"] if rule["health"] != "ok"]
    if sick:
        fail(f"rules that cannot be evaluated: {sick}")
    firing = {rule["name"] for group in groups for rule in group["rules"] if rule.get("state") in ("firing", "pending")}
    queries = [(panel["title"], target["expr"]) for panel in json.load(open(dashboard))["panels"] for target in panel.get("targets", [])]
    queries += [(rule.get("alert") or rule["record"], rule["expr"]) for group in yaml.safe_load(open(rules))["groups"] for rule in group["rules"]]
    answered = 0
    for title, text in queries:
        text = text.replace("$job", "spool").replace("$__rate_interval", "1m")
        answered += bool(ask("query", query=text)["result"])
        lost = [name for name in re.findall(r"\bspool_[a-z_]+", text) if name not in known and f"job:{name}" not in text and ":" + name not in text]
        if lost:
            fail(f"{title} asks for {lost}, which no console gives")
    # The farm that is scraped has no forecast while no coordinator of it lives, and few faults; most queries find something.
    if answered < len(queries) // 2:
        fail(f"only {answered} of {len(queries)} queries find anything")
    print(f"{len(queries)} queries answered, {answered} with numbers; alerts that come: {sorted(firing) or 'none'}")


verb, *paths = sys.argv[1:]
if verb == "keda-query":
    print(trigger(*paths)["query"])
elif verb == "keda-role":
    print(trigger(*paths)["userName"])
else:
    {"manifests": manifests, "compose": compose, "alerts": alerts, "prometheus": prometheus}[verb](*paths)
