import LibCrypto
import Testing

@testable import Proxy

/// Keystores of Java.
extension TrustPlannerTests {
    private var keystorePath: String { "/usr/lib/jvm/temurin-25/lib/security/cacerts" }
    private var keystore: TrustStore { .java(keystore: keystorePath) }

    private func java() -> PaperMachine {
        var machine = PaperMachine(tools: ["keytool": "keytool"])
        machine.addKeystore(
            keystorePath,
            bytes: "former",
            [("isrgrootx1", String(repeating: "ab", count: 32))]
        )
        machine.unwritable.insert(keystorePath)
        return machine
    }

    @Test func keystoresOfJavaHomesAreFoundOnce() {
        var machine = java()
        machine.javaHome = "/usr/lib/jvm/default"
        machine.links["/usr/lib/jvm/default/lib/security/cacerts"] = keystorePath
        #expect(planner(machine).stores() == [keystore])
        #expect(
            lines(trusting(machine)) == [
                "sudo keytool -importcert -noprompt -keystore \(keystorePath) -storepass changeit "
                    + "-alias authreel-FP -file '/home/ann/my ca/ca.pem'"
            ]
        )
    }

    @Test func keystoreGetsBackItsFormerBytes() throws {
        let trust = trusting(java())
        var record = try firstRecord(trust)
        let backup = try #require(record.backup)
        record.backup?.after = TrustRecord.digest(of: Array("changed".utf8))
        let known = TrustRecords(records: [record])

        var machine = java()
        machine.addKeystore(keystorePath, bytes: "changed", [("authreel-\(short)", authority.fingerprint)])
        machine.files[files.path(ofBackup: backup)] = Array("former".utf8)
        let plan = planner(machine).untrusting([], in: [keystore], known: known)
        #expect(lines(plan) == ["sudo cp '/home/ann/my ca/\(backup.file)' \(keystorePath)"])

        // Killed before it was known what the keystore has become: its entries tell.
        var killed = machine
        var half = record
        half.backup?.after = nil
        let interrupted = TrustRecords(records: [half])
        killed.addKeystore(files.path(ofBackup: backup), bytes: "former", [])
        #expect(lines(planner(killed).untrusting([], in: [keystore], known: interrupted)) == lines(plan))
        // Nothing was changed at all.
        let early = planner(java()).untrusting([], in: [keystore], known: interrupted)
        #expect(early.isEmpty && early.forgets == [half])

        // Somebody has changed it since, or the copy: the entry alone is taken out.
        let delete =
            "sudo keytool -delete -keystore \(keystorePath) -storepass changeit -alias authreel-FP"
        var spoilt = machine
        spoilt.files[files.path(ofBackup: backup)] = Array("former?".utf8)
        #expect(lines(planner(spoilt).untrusting([], in: [keystore], known: known)) == [delete])
        machine.addKeystore(
            keystorePath,
            bytes: "changed more",
            [("authreel-\(short)", authority.fingerprint)]
        )
        #expect(lines(planner(machine).untrusting([], in: [keystore], known: known)) == [delete])
    }

    @Test func generationsAreTakenBackTheWayTheyCame() throws {
        let later = AuthorityIdentity(try CertificateAuthority.make(now: Self.now).0.certificate)
        func record(_ identity: AuthorityIdentity, _ before: String, _ after: String) -> TrustRecord {
            var record = TrustRecord(store: keystore, authority: identity)
            record.backup = .init(
                file: "keystore-\(before).bak",
                before: TrustRecord.digest(of: Array(before.utf8)),
                after: TrustRecord.digest(of: Array(after.utf8))
            )
            return record
        }
        var machine = java()
        machine.addKeystore(
            keystorePath,
            bytes: "two",
            [("authreel-\(short)", authority.fingerprint), ("authreel-\(later.short)", later.fingerprint)]
        )
        machine.files["\(files.folder)/keystore-none.bak"] = Array("none".utf8)
        machine.files["\(files.folder)/keystore-one.bak"] = Array("one".utf8)
        let known = TrustRecords(records: [record(authority, "none", "one"), record(later, "one", "two")])
        let plan = planner(machine).untrusting([], in: [keystore], known: known)
        #expect(lines(plan) == ["sudo cp '/home/ann/my ca/keystore-none.bak' \(keystorePath)"])
        #expect(plan.changes.first?.drops == known.records)
    }

    @Test func keystoreOfDebiansHookIsLeftToIt() {
        var machine = debian()
        machine.tools["keytool"] = "keytool"
        machine.addKeystore("/etc/ssl/certs/java/cacerts", bytes: "former", [])
        machine.files["/etc/ca-certificates/update.d/jks-keystore"] = []
        machine.links["/usr/lib/jvm/java-17/lib/security/cacerts"] = "/etc/ssl/certs/java/cacerts"
        let planner = planner(machine)
        #expect(planner.stores() == [.system(.debian)])
        #expect(planner.stores(asked: [.java]) == [.java(keystore: "/etc/ssl/certs/java/cacerts")])
        let plan = trusting(machine)
        #expect(lines(plan).count == 2)
        // But what it has changed is known, and undone with the system's store.
        #expect(plan.changes.first?.adds.map(\.store.kind) == [.system, .java])
        machine.addKeystore(
            "/etc/ssl/certs/java/cacerts",
            bytes: "changed",
            [("debian:authreel-\(short).pem", authority.fingerprint)]
        )
        let back = self.planner(machine).untrusting(
            [authority],
            in: [.system(.debian)],
            known: TrustRecords()
        )
        #expect(
            lines(back) == [
                "keytool -delete -keystore /etc/ssl/certs/java/cacerts -storepass changeit "
                    + "-alias debian:authreel-FP.pem"
            ]
        )
    }

    @Test func keystoreThatTheUpdaterMakesIsNotTouched() {
        var machine = java()
        machine.links["/usr/lib/jvm/java-21/lib/security/cacerts"] =
            "/etc/pki/ca-trust/extracted/java/cacerts"
        machine.files["/etc/pki/ca-trust/extracted/java/cacerts"] = []
        #expect(planner(machine).stores(asked: [.java]) == [keystore])
    }

    @Test func keystoreWithAnotherPasswordIsLeftOut() throws {
        var machine = java()
        machine.outputs = [:]
        let plan = trusting(machine)
        try #require(plan.isEmpty && plan.unmet.count == 1)
        #expect(plan.unmet[0].reason.contains("changeit"))
    }
}
