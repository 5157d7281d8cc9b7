import Testing

@testable import authreel

/// `HOST:PORT` in the spellings that people use.
struct HostAndPortTests {
    private func read(_ text: String) throws -> HostAndPort {
        try HostAndPort(text, option: "--listen", example: "authreel record --listen 127.0.0.1:8080")
    }

    @Test(arguments: [
        ("127.0.0.1:8080", "127.0.0.1", 8080), (":0", "127.0.0.1", 0),
        ("8080", "127.0.0.1", 8080), ("0", "127.0.0.1", 0),
        ("localhost:65535", "localhost", 65535),
        ("[::1]:8080", "::1", 8080), ("::1:8080", "::1", 8080), ("[fe80::1%eth0]:80", "fe80::1%eth0", 80),
    ])
    func hostAndPortAreToldApart(text: String, host: String, port: Int) throws {
        let read = try read(text)
        #expect(read.host == host && read.port == port)
    }

    @Test(arguments: ["", "localhost", "8080x", "127.0.0.1:", "::1", "a:b:80", "[a:b]:80", "fe80::99999"])
    func whatIsNeitherIsRefused(text: String) {
        let told = text.isEmpty ? "''" : text
        #expect {
            try read(text)
        } throws: { error in
            (error as? CommandFailure)?.message == "--listen takes HOST:PORT, not \(told)"
        }
    }

    @Test(arguments: ["127.0.0.1:65536", "65536", ":-1"])
    func portThatIsNoneIsNamed(text: String) {
        let port = text.split(separator: ":").last ?? ""
        #expect {
            try read(text)
        } throws: { error in
            let failure = error as? CommandFailure
            return failure?.message == "--listen: there is no port \(port)"
                && failure?.hint?.hasPrefix("ports go from 0 to 65535: authreel record") == true
        }
    }
}
