import Captures
import Foundation
import LibCrypto
import Proxy
import TestSupport
import Testing

/// `ca trust`, `ca untrust` and `ca rotate` on real stores: what was there before is there after, to the byte.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct TrustStoreTests {
    private static var hasNSS: Bool { isRequired || TrustRig.path(of: "certutil") != nil }
    private static var hasJava: Bool {
        isRequired || TrustRig.path(of: "keytool") != nil && TrustRig.keystore != nil
    }
    private static var isRequired: Bool { RealComponents.isRequired }

    // MARK: - The system's store

    @Test(.enabled(if: SystemTrust.isAvailable, Comment(rawValue: SystemTrust.reasonAgainst ?? "")))
    func systemTrustsAndForgetsToTheByte() throws {
        let rig = try TrustRig()
        defer { rig.folder.remove() }
        let system = try SystemTrust()
        defer { #expect(throws: Never.self) { try system.restore() } }
        let before = system.snapshot

        let trust = try rig.authreel("trust", "--store", "system", "--yes")
        try #require(trust.status == 0, "\(trust.errors)")
        let file = "/usr/local/share/ca-certificates/authreel-\(try rig.short()).crt"
        #expect(trust.output.contains("install -m 644 \(rig.certificate) \(file)\n"), "\(trust.output)")
        #expect(FileManager.default.contentsEqual(atPath: rig.certificate, andPath: file))
        #expect(try rig.run("openssl", "verify", rig.certificate).status == 0)
        let server = try TrustedServer(rig: rig)
        defer { server.stop() }
        #expect(try server.fetch(rig, with: .curl).status == 0)
        if FileManager.default.fileExists(atPath: "/etc/ca-certificates/update.d/jks-keystore") {
            let java = try server.fetch(rig, with: .java(keystore: nil))
            #expect(java.status == 0, "\(java.errors)")
        }

        let changed = system.snapshot
        let again = try rig.authreel("trust", "--store", "system", "--yes")
        #expect(
            again.status == 0 && again.errors.contains("trusted already in the system's"),
            "\(again.errors)"
        )
        #expect(again.output.isEmpty && system.snapshot.differences(from: changed).isEmpty)

        let untrust = try rig.authreel("untrust", "--yes")
        #expect(untrust.status == 0, "\(untrust.errors)")
        #expect(system.snapshot.differences(from: before) == [])
        #expect(try server.fetch(rig, with: .curl).status == 60)
        #expect(try rig.run("openssl", "verify", rig.certificate).status != 0)
        #expect(try FileManager.default.contentsOfDirectory(atPath: rig.authorityFolder).count == 2)

        let nothing = try rig.authreel("untrust", "--yes")
        #expect(nothing.status == 0 && nothing.errors.contains("nothing to take back"), "\(nothing.errors)")
        #expect(system.snapshot.differences(from: before) == [])
    }

    @Test(.enabled(if: SystemTrust.isAvailable, Comment(rawValue: SystemTrust.reasonAgainst ?? "")))
    func rotatedAuthorityTakesThePlaceOfTheOldOne() throws {
        let rig = try TrustRig()
        defer { rig.folder.remove() }
        let system = try SystemTrust()
        defer { #expect(throws: Never.self) { try system.restore() } }
        let before = system.snapshot
        #expect(try rig.authreel("trust", "--store", "system", "--yes").status == 0)
        let old = rig.folder.file("old.pem")
        try FileManager.default.copyItem(atPath: rig.certificate, toPath: old)

        let shown = try rig.authreel("rotate", "--dry-run")
        #expect(shown.status == 0 && shown.output.contains("authreel-NEW.crt"), "\(shown.output)")
        #expect(FileManager.default.contentsEqual(atPath: rig.certificate, andPath: old))

        let rotate = try rig.authreel("rotate", "--yes")
        #expect(rotate.status == 0, "\(rotate.errors)")
        #expect(try rig.run("openssl", "verify", old).status != 0)
        #expect(try rig.run("openssl", "verify", rig.certificate).status == 0)
        #expect(rotate.output.contains("authreel-\(try rig.short()).crt\n"))

        #expect(try rig.authreel("untrust", "--yes").status == 0)
        #expect(system.snapshot.differences(from: before) == [])
    }

    @Test(.enabled(if: SystemTrust.isAvailable, Comment(rawValue: SystemTrust.reasonAgainst ?? "")))
    func trustWithoutAMemoryOfItIsFound() throws {
        let rig = try TrustRig()
        defer { rig.folder.remove() }
        let system = try SystemTrust()
        defer { #expect(throws: Never.self) { try system.restore() } }
        let before = system.snapshot
        let keystore = "/etc/ssl/certs/java/cacerts"
        #expect(try rig.authreel("trust", "--store", "system", "--yes").status == 0)
        try FileManager.default.removeItem(atPath: rig.records)
        #expect(try rig.authreel("untrust", "--yes").status == 0)
        // Without its copy the keystore has its former entries, not its former bytes.
        #expect(system.snapshot.differences(from: before).filter { $0 != keystore } == [])

        #expect(try rig.authreel("trust", "--store", "system", "--yes").status == 0)
        try FileManager.default.removeItem(atPath: rig.authorityFolder)
        let told = try rig.authreel("untrust", "--yes")
        #expect(told.status == 0 && told.errors.contains("--all takes it out too"), "\(told.errors)")
        #expect(!FileManager.default.fileExists(atPath: rig.authorityFolder))
        #expect(try rig.authreel("untrust", "--all", "--yes").status == 0)
        #expect(system.snapshot.differences(from: before).filter { $0 != keystore } == [])
    }

    // MARK: - NSS

    @Test(.enabled(if: hasNSS, "certutil is not installed"))
    func databaseThatWasThereHoldsWhatItHeld() throws {
        let rig = try TrustRig()
        defer { rig.folder.remove() }
        let profile = rig.folder.file(".mozilla/firefox/a b.default")
        for database in [rig.database, profile] {
            try rig.makeDatabase(database)
            let other = try CertificateAuthority.make(now: Timestamp(seconds: 1_700_000_000)).0.certificate
            let path = rig.folder.file("other.pem")
            try other.pem.write(toFile: path, atomically: true, encoding: .utf8)
            #expect(
                try rig.run(
                    "certutil",
                    "-A",
                    "-d",
                    "sql:\(database)",
                    "-t",
                    "CT,C,",
                    "-n",
                    "Company",
                    "-i",
                    path
                ).status
                    == 0
            )
        }
        let before = try (rig.listing(of: rig.database), rig.listing(of: profile))
        let trust = try rig.authreel("trust", "--store", "nss", "--yes")
        try #require(trust.status == 0, "\(trust.errors)")
        for database in [rig.database, profile] {
            let judged = try rig.run(
                "certutil",
                "-V",
                "-d",
                "sql:\(database)",
                "-u",
                "L",
                "-n",
                "authreel \(try rig.short())"
            )
            #expect(judged.output.contains("certificate is valid"), "\(judged.output)\(judged.errors)")
        }
        let again = try rig.authreel("trust", "--store", "nss", "--yes")
        #expect(again.status == 0 && again.output.isEmpty && again.errors.contains("trusted already"))
        #expect(try rig.authreel("untrust", "--store", "nss", "--yes").status == 0)
        #expect(try (rig.listing(of: rig.database), rig.listing(of: profile)) == before)
        #expect(!FileManager.default.fileExists(atPath: rig.records))
    }

    @Test(.enabled(if: hasNSS, "certutil is not installed"))
    func databaseThatWasMadeIsRemovedWithItsFolders() throws {
        let rig = try TrustRig()
        defer { rig.folder.remove() }
        #expect(try rig.authreel("path").status == 0)
        let before = TreeSnapshot(of: [rig.folder.path])
        #expect(try rig.authreel("trust", "--store", "nss", "--yes").status == 0)
        let rotate = try rig.authreel("rotate", "--yes")
        #expect(rotate.status == 0, "\(rotate.errors)")
        #expect(try rig.listing(of: rig.database).contains("authreel \(try rig.short())"))
        #expect(try rig.authreel("untrust", "--store", "nss", "--yes").status == 0)
        let changed = TreeSnapshot(of: [rig.folder.path]).differences(from: before)
        #expect(changed == [rig.authorityFolder + "/ca.key", rig.certificate])
    }

    @Test(.enabled(if: hasNSS, "certutil is not installed"))
    func toolThatFailsLeavesNothingHalfRemembered() throws {
        let rig = try TrustRig()
        defer { rig.folder.remove() }
        let certutil = try #require(TrustRig.path(of: "certutil"))
        let tools = try rig.writeTool("certutil", "[ \"$1\" = -A ] && exit 3; exec \(certutil) \"$@\"")
        let failed = try rig.authreel("trust", "--store", "nss", "--yes", folders: tools)
        #expect(failed.status == 69)
        #expect(
            failed.errors.contains("ended with status 3; done before: `mkdir -m 700 "),
            "\(failed.errors)"
        )
        #expect(failed.errors.contains("ca untrust takes back what was done"))
        #expect(try rig.authreel("untrust", "--store", "nss", "--yes").status == 0)
        #expect(!FileManager.default.fileExists(atPath: rig.folder.file(".pki")))
        #expect(!FileManager.default.fileExists(atPath: rig.records))

        // Where the very first command fails there is nothing to remember.
        try rig.makeDatabase(rig.database)
        let second = try rig.authreel("trust", "--store", "nss", "--yes", folders: tools)
        #expect(
            second.status == 69 && second.errors.contains("nothing else was done before"),
            "\(second.errors)"
        )
        #expect(!FileManager.default.fileExists(atPath: rig.records))
    }

    @Test(.enabled(if: hasNSS, "certutil is not installed"))
    func killedTrustCanBeTakenBackAndKilledRotationGoesOn() throws {
        let rig = try TrustRig()
        defer { rig.folder.remove() }
        let certutil = try #require(TrustRig.path(of: "certutil"))
        let killer = "exec 2>/dev/null; [ \"$1\" = -A ] && kill -9 $PPID && exit 1; exec \(certutil) \"$@\""
        let tools = try rig.writeTool("certutil", killer)
        #expect(try rig.authreel("trust", "--store", "nss", "--yes", folders: tools).status == 9)
        #expect(FileManager.default.fileExists(atPath: rig.database + "/cert9.db"))
        #expect(try rig.authreel("untrust", "--store", "nss", "--yes").status == 0)
        #expect(!FileManager.default.fileExists(atPath: rig.folder.file(".pki")))

        #expect(try rig.authreel("trust", "--store", "nss", "--yes").status == 0)
        let old = try rig.short()
        #expect(try rig.authreel("rotate", "--yes", folders: tools).status == 9)
        #expect(try !rig.listing(of: rig.database).contains(old))
        #expect(try rig.authreel("rotate", "--yes").status == 0)
        #expect(try rig.listing(of: rig.database).contains("authreel \(try rig.short())"))
        #expect(try rig.authreel("untrust", "--store", "nss", "--yes").status == 0)
        #expect(!FileManager.default.fileExists(atPath: rig.folder.file(".pki")))
    }

    @Test(.enabled(if: hasNSS, "certutil is not installed"))
    func toolThatSaysYesAndDoesNothingIsNotBelieved() throws {
        let rig = try TrustRig()
        defer { rig.folder.remove() }
        try rig.makeDatabase(rig.database)
        let certutil = try #require(TrustRig.path(of: "certutil"))
        let tools = try rig.writeTool("certutil", "[ \"$1\" = -A ] && exit 0; exec \(certutil) \"$@\"")
        let result = try rig.authreel("trust", "--store", "nss", "--yes", folders: tools)
        #expect(result.status == 69)
        #expect(result.errors.contains("does not trust the authority"), "\(result.errors)")
        #expect(!FileManager.default.fileExists(atPath: rig.records))
    }

    @Test(.enabled(if: hasNSS, "certutil is not installed"))
    func folderWithoutADatabaseIsRefused() throws {
        let rig = try TrustRig()
        defer { rig.folder.remove() }
        let result = try rig.authreel("trust", "--nss-dir", rig.folder.path, "--yes")
        #expect(
            result.status == 66 && result.errors.contains("hint: make one: certutil -N"),
            "\(result.errors)"
        )
    }

    // MARK: - Java

    @Test(.enabled(if: hasJava, "no Java runtime is installed"), arguments: ["JKS", "PKCS12"])
    func keystoreIsPutBackToTheByte(type: String) throws {
        let rig = try TrustRig()
        defer { rig.folder.remove() }
        let keystore = try rig.makeKeystore("key store", type: type)
        #expect(try rig.authreel("path").status == 0)
        let before = TreeSnapshot(of: [rig.folder.path])
        let server = try TrustedServer(rig: rig)
        defer { server.stop() }
        #expect(try server.fetch(rig, with: .java(keystore: keystore)).status != 0)
        let trust = try rig.authreel("trust", "--keystore", keystore, "--yes")
        try #require(trust.status == 0, "\(trust.errors)")
        #expect(trust.output.contains(" -keystore '\(keystore)' "), "\(trust.output)")
        let fetched = try server.fetch(rig, with: .java(keystore: keystore))
        #expect(fetched.status == 0, "\(fetched.errors)")
        #expect(try rig.authreel("trust", "--keystore", keystore, "--yes").errors.contains("trusted already"))
        #expect(try rig.authreel("untrust", "--keystore", keystore, "--yes").status == 0)
        #expect(try server.fetch(rig, with: .java(keystore: keystore)).status != 0)
        let rest = TreeSnapshot(of: [rig.folder.path]).differences(from: before)
        #expect(rest.filter { $0.contains(".config") || $0 == keystore } == [])
    }

    @Test(.enabled(if: hasJava, "no Java runtime is installed"))
    func keystoreIsPutBackToTheByteAfterAKill() throws {
        let rig = try TrustRig()
        defer { rig.folder.remove() }
        let keystore = try rig.makeKeystore("keystore", type: "PKCS12")
        let former = try Data(contentsOf: URL(filePath: keystore))
        let keytool = try #require(TrustRig.path(of: "keytool"))
        let script = "\(keytool) \"$@\"; status=$?; [ \"$1\" = -importcert ] && kill -9 $PPID; exit $status"
        let tools = try rig.writeTool("keytool", script)
        #expect(try rig.authreel("trust", "--keystore", keystore, "--yes", folders: tools).status == 9)
        #expect(try Data(contentsOf: URL(filePath: keystore)) != former)
        #expect(try rig.authreel("untrust", "--keystore", keystore, "--yes").status == 0)
        #expect(try Data(contentsOf: URL(filePath: keystore)) == former)
    }

    @Test(.enabled(if: hasJava, "no Java runtime is installed"))
    func keystoreThatSomebodyElseHasChangedLosesOursAlone() throws {
        let rig = try TrustRig()
        defer { rig.folder.remove() }
        let keystore = try rig.makeKeystore("keystore", type: "PKCS12")
        #expect(try rig.authreel("trust", "--keystore", keystore, "--yes").status == 0)
        let other = try CertificateAuthority.make(now: Timestamp(seconds: 1_700_000_000)).0.certificate
        try other.pem.write(toFile: rig.folder.file("other.pem"), atomically: true, encoding: .utf8)
        let added = try rig.run(
            "keytool",
            "-importcert",
            "-noprompt",
            "-keystore",
            keystore,
            "-storepass",
            "changeit",
            "-alias",
            "company",
            "-file",
            rig.folder.file("other.pem")
        )
        #expect(added.status == 0)
        #expect(try rig.authreel("untrust", "--keystore", keystore, "--yes").status == 0)
        let list = try rig.run("keytool", "-list", "-keystore", keystore, "-storepass", "changeit").output
        #expect(list.contains("company,") && !list.contains("authreel-"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: rig.authorityFolder).count == 2)
    }

    // MARK: - Asking

    @Test(.enabled(if: hasNSS, "certutil is not installed"))
    func nothingIsDoneUnasked() throws {
        let rig = try TrustRig()
        defer { rig.folder.remove() }
        let first = try rig.authreel("trust", "--store", "nss", "--dry-run")
        #expect(first.status == 0 && first.output.contains("-n 'authreel NEW'"), "\(first.output)")
        #expect(!FileManager.default.fileExists(atPath: rig.authorityFolder))
        #expect(try rig.authreel("path").status == 0)
        let before = TreeSnapshot(of: [rig.folder.path])
        let dry = try rig.authreel("trust", "--store", "nss", "--dry-run")
        #expect(dry.status == 0)
        let silent = try rig.authreel("trust", "--store", "nss")
        #expect(silent.status == 64 && silent.output == dry.output)
        #expect(silent.errors.contains("hint: add --yes"), "\(silent.errors)")
        #expect(TreeSnapshot(of: [rig.folder.path]).differences(from: before) == [])

        // What is printed can be pasted into a shell, and is found afterwards.
        let script = rig.folder.file("pasted.sh")
        try dry.output.write(toFile: script, atomically: true, encoding: .utf8)
        let pasted = try rig.run("bash", "-e", script)
        #expect(pasted.status == 0, "\(pasted.errors)")
        #expect(try rig.authreel("trust", "--store", "nss").errors.contains("trusted already"))
        #expect(try rig.authreel("untrust", "--store", "nss", "--yes").status == 0)
        #expect(try !rig.listing(of: rig.database).contains("authreel"))
    }

    @Test(.enabled(if: TrustRig.path(of: "script") != nil && hasNSS, "script or certutil is not installed"))
    func answerOnTheTerminalDecidesAndToolsMayAskThere() throws {
        let rig = try TrustRig()
        defer { rig.folder.remove() }
        try rig.makeDatabase(rig.database)
        let certutil = try #require(TrustRig.path(of: "certutil"))
        // As sudo asks for a password: from the terminal, without echo.
        let tools = try rig.writeTool(
            "certutil",
            """
            if [ "$1" = -A ]; then
                stty -echo < /dev/tty; read -r secret < /dev/tty; stty echo < /dev/tty
                echo "was given $secret" > \(rig.folder.file("given"))
            fi
            exec \(certutil) "$@"
            """
        )
        let command = "PATH=\(tools):$PATH exec \(Program.path) ca trust --store nss"
        func answering(_ lines: String) throws -> Program.Result {
            let type = "(sleep 1; for word in \(lines); do echo $word; sleep 1; done)"
            return try Program.run(
                ["-c", "\(type) | timeout -k 1 30 script -qefc '\(command)' /dev/null"],
                executable: "/bin/bash",
                environment: rig.environment.merging(["SHELL": "/bin/bash"]) { $1 }
            )
        }
        let no = try answering("n")
        #expect(no.status == 1 && no.output.contains("Go on? [y/N]"), "\(no.output)")
        #expect(no.output.contains("nothing was changed"))
        #expect(try !rig.listing(of: rig.database).contains("authreel"))
        let yes = try answering("y tiger")
        #expect(yes.status == 0, "\(yes.output)")
        #expect(try String(contentsOfFile: rig.folder.file("given"), encoding: .utf8) == "was given tiger\n")
        #expect(try rig.listing(of: rig.database).contains("authreel \(try rig.short())"))
    }

    // MARK: - The authority's folder

    @Test func endOfAnAuthorityThatIsTrustedIsToldWithWhatToDo() throws {
        let rig = try TrustRig()
        defer { rig.folder.remove() }
        let files = AuthorityFiles(folder: rig.authorityFolder)
        let old = try files.load(now: Timestamp(seconds: 1_700_000_000)).authority.certificate
        let record = TrustRecord(store: .nss(folder: rig.database), authority: AuthorityIdentity(old))
        try files.whileLocked { () throws(ProxyError) in try files.remember(TrustRecords(records: [record])) }
        let result = try rig.authreel("path")
        #expect(result.status == 0)
        #expect(result.errors.contains("ended on 2024-11-13; made a new one"), "\(result.errors)")
        #expect(result.errors.contains("trusted in the NSS database \(rig.database)"), "\(result.errors)")
        #expect(result.errors.contains("ca rotate"))
        #expect(try rig.authreel("path").errors.isEmpty)
    }

    @Test(arguments: [("ca.key", 65), ("ca.pem", 65), ("trusted.json", 65)] as [(String, Int32)])
    func corruptFileIsNamedWithWhatToDo(name: String, status: Int32) throws {
        let rig = try TrustRig()
        defer { rig.folder.remove() }
        #expect(try rig.authreel("path").status == 0)
        try Data("spoilt".utf8).write(to: URL(filePath: "\(rig.authorityFolder)/\(name)"))
        let command = name == "trusted.json" ? "untrust" : "path"
        let result = try rig.authreel(command)
        #expect(result.status == status, "\(result.errors)")
        #expect(result.errors.contains("error: \(rig.authorityFolder)/\(name): "), "\(result.errors)")
        #expect(result.errors.contains("hint: "))
        guard name != "trusted.json" else { return }
        let rotate = try rig.authreel("rotate", "--yes")
        #expect(rotate.status == 0, "\(rotate.errors)")
        #expect(try rig.authreel("path").errors.isEmpty)
    }

    @Test(.enabled(if: TrustRig.path(of: "python3") != nil, "python3 is not installed"))
    func profileIsAPropertyListWithTheCertificate() throws {
        let rig = try TrustRig()
        defer { rig.folder.remove() }
        let path = rig.folder.file("authreel.mobileconfig")
        #expect(try rig.authreel("export", "--format", "mobileconfig", "--out", path).status == 0)
        let der = rig.folder.file("authreel.cer")
        #expect(try rig.authreel("export", "--format", "der", "--out", der).status == 0)
        let judged = try rig.run(
            "python3",
            "-c",
            """
            import plistlib, sys, uuid
            profile = plistlib.load(open(sys.argv[1], "rb"))
            (payload,) = profile["PayloadContent"]
            assert payload["PayloadContent"] == open(sys.argv[2], "rb").read()
            assert payload["PayloadType"] == "com.apple.security.root" and profile["PayloadType"] == "Configuration"
            assert profile["PayloadRemovalDisallowed"] is False
            for part in (profile, payload):
                assert str(uuid.UUID(part["PayloadUUID"])).upper() == part["PayloadUUID"]
                assert part["PayloadVersion"] == 1 and part["PayloadIdentifier"] and part["PayloadDisplayName"]
            assert profile["PayloadUUID"] != payload["PayloadUUID"]
            """,
            path,
            der
        )
        #expect(judged.status == 0, "\(judged.errors)")
    }
}
