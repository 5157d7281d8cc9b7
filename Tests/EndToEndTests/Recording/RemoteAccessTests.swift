import Foundation
import Proxy
import TestSupport
import Testing

/// Listening where others on the network can reach.
struct RemoteAccessTests {
    @Test(arguments: ["0.0.0.0:8080", "[::]:8080", "192.0.2.1:8080", "example.org:8080"])
    func networkAddressIsRefusedWithoutTheOption(_ address: String) throws {
        let result = try Program.run(["record", "--listen", address])
        #expect(result.status == 64)
        #expect(result.errors.contains("is no loopback address"))
        #expect(
            result.errors.contains("record --allow-remote --listen \(address) --proxy-auth prompt\n"),
            "\(result.errors)"
        )
    }

    @Test func recorderOnTheNetworkSaysWhatThatMeansAndWhereItIs() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let recorder = try RecorderProcess(
            into: folder.file("login.har"),
            folder: folder,
            options: ["--allow-remote", "--listen", "0.0.0.0:0"]
        )
        let messages = recorder.messages
        #expect(messages.contains("warning: anyone on the network can use this proxy"), "\(messages)")
        #expect(messages.contains("what they send is recorded"))
        let addresses = messages.split(separator: "\n").compactMap { line in
            line.split(separator: " ").last.flatMap { $0.hasPrefix("http://") ? String($0) : nil }
        }
        #expect(addresses.isEmpty == messages.contains("no address on a network"))
        #expect(addresses.allSatisfy { $0.hasSuffix(":\(recorder.port)/") && !$0.contains("127.0.0.1") })
        // What is printed can be opened, and shows itself as a picture.
        if let address = addresses.first {
            let page = try Program.run(["-sS", "--noproxy", "*", address], executable: "/usr/bin/curl")
            #expect(page.output.contains("aria-label=\"QR code of \(address)\""), "\(page.errors)")
            #expect(page.output.contains("curl -o authreel-ca.pem \(address)ca.pem"))
        }
        #expect(recorder.interrupt() == 0)
    }

    @Test func optionWithoutAnAddressSaysThatItChangesNothing() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let recorder = try RecorderProcess(
            into: folder.file("login.har"),
            folder: folder,
            options: ["--allow-remote"]
        )
        #expect(recorder.messages.contains("--allow-remote changes nothing while it listens on 127.0.0.1"))
        #expect(!recorder.messages.contains("anyone on the network"))
        #expect(recorder.interrupt() == 0)
    }
}
