// swift-tools-version: 6.2
import PackageDescription

/// What every target is compiled with.
let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
func nio(_ product: String) -> Target.Dependency { .product(name: product, package: "swift-nio") }

let hpack = Target.Dependency.product(name: "NIOHPACK", package: "swift-nio-http2")
let http2 = Target.Dependency.product(name: "NIOHTTP2", package: "swift-nio-http2")

func library(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

func tests(
    _ name: String,
    _ dependencies: [Target.Dependency],
    path: String? = nil,
    exclude: [String] = []
) -> Target {
    .testTarget(
        name: name,
        dependencies: dependencies + ["TestSupport"],
        path: path ?? "Tests/\(name)",
        exclude: exclude,
        swiftSettings: settings
    )
}

let diagnosisTests: [Target.Dependency] = [
    "DiagnosisTestSupport", "Diagnosis", "Flows", "OAuth", "Captures", "JOSE", "JSON",
]

/// The tests of the rules are three modules, of these folders of `Tests/DiagnosisTests/Rules`: the compiler takes longer for one of
/// 30,000 lines than for three of 10,000, since what it looks for among the expansions of macros grows with their number.
let authorizationRules = [
    "AuthorizationRequest", "AuthorizationResponse", "Discovery", "ProviderSpecific", "Registration",
]
let tokenRules = ["TokenRequest", "TokenResponse", "IDToken", "Refresh", "ResourceCalls"]
let sessionRules = [
    "CredentialLoginTests.swift", "LogoutAndDevice", "SecurityPractice", "TheCapture", "Transport",
    "UserAgent",
]

let package = Package(
    name: "authreel",
    platforms: [.macOS(.v15)],
    products: [.executable(name: "authreel", targets: ["authreel"])],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-http2", from: "1.46.0"),
    ],
    targets: [
        .systemLibrary(
            name: "COpenSSL",
            pkgConfig: "openssl",
            providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]
        ),
        .systemLibrary(
            name: "CPcap",
            pkgConfig: "libpcap",
            providers: [.apt(["libpcap-dev"]), .brew(["libpcap"])]
        ),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),

        library("LibCrypto", ["COpenSSL"]),
        library("JSON"),
        library("JOSE", ["LibCrypto", "JSON"]),
        library("Captures", ["JSON", "CZlib"]),
        library("Wire", ["Captures", nio("NIOCore")]),
        library("Packets", ["Wire", "Captures", "LibCrypto", "CPcap"]),
        library("TLS", ["LibCrypto", "COpenSSL", nio("NIOCore")]),
        library(
            "Proxy",
            [
                "Wire", "TLS", "Captures", "LibCrypto", "JSON", nio("NIOCore"), nio("NIOPosix"),
                nio("NIOHTTP1"), nio("NIOConcurrencyHelpers"),
            ]
        ),
        library("OAuth", ["Captures", "JOSE", "LibCrypto", "JSON"]),
        library("Flows", ["OAuth", "Captures", "JOSE", "JSON"]),
        library("Diagnosis", ["Flows", "OAuth", "JOSE", "Captures", "JSON"]),
        library("Sharing", ["Flows", "OAuth", "JOSE", "Captures", "LibCrypto", "JSON"]),
        library(
            "Replay",
            [
                "Flows", "OAuth", "JOSE", "Captures", "Wire", "TLS", "LibCrypto", "JSON", nio("NIOCore"),
                nio("NIOPosix"),
            ]
        ),
        library("Provider", ["OAuth", "Flows", "JOSE", "Captures", "LibCrypto", "JSON"]),
        .target(
            name: "Reports",
            dependencies: ["Diagnosis", "Replay", "Sharing", "Flows", "OAuth", "JOSE", "Captures", "JSON"],
            swiftSettings: settings,
            plugins: ["ViewerAssets"]
        ),
        .executableTarget(
            name: "ViewerAssetsTool",
            path: "Plugins/ViewerAssetsTool",
            swiftSettings: settings
        ),
        .plugin(name: "ViewerAssets", capability: .buildTool(), dependencies: ["ViewerAssetsTool"]),
        .executableTarget(
            name: "authreel",
            dependencies: [
                "Captures", "Diagnosis", "Flows", "JOSE", "JSON", "LibCrypto", "OAuth", "Packets", "Provider",
                "Proxy", "Replay", "Reports", "Sharing", "TLS", argumentParser, nio("NIOCore"),
            ],
            swiftSettings: settings
        ),

        .target(
            name: "TestSupport",
            dependencies: ["Captures", "JSON"],
            path: "Tests/TestSupport",
            swiftSettings: settings
        ),
        .target(
            name: "DiagnosisTestSupport",
            dependencies: ["Diagnosis", "Flows", "OAuth", "Captures", "JOSE", "JSON", "TestSupport"],
            path: "Tests/DiagnosisTestSupport",
            swiftSettings: settings
        ),
        tests("LibCryptoTests", ["LibCrypto", "JSON"]),
        tests("JSONTests", ["JSON"]),
        tests("JOSETests", ["JOSE", "JSON", "LibCrypto"]),
        tests("CapturesTests", ["Captures", "JSON"]),
        tests(
            "WireTests",
            [
                "Wire", "Captures", "JSON", nio("NIOCore"), nio("NIOHTTP1"), nio("NIOEmbedded"), hpack, http2,
            ]
        ),
        tests("PacketsTests", ["Packets", "Wire", "Captures", "LibCrypto", "COpenSSL", "CZlib", "JSON"]),
        tests(
            "TLSTests",
            ["TLS", "LibCrypto", "COpenSSL", nio("NIOCore"), nio("NIOEmbedded"), nio("NIOPosix")]
        ),
        tests(
            "ProxyTests",
            [
                "Proxy", "Wire", "TLS", "Captures", "LibCrypto", nio("NIOCore"), nio("NIOEmbedded"),
                nio("NIOHTTP1"), nio("NIOPosix"), hpack, http2,
            ]
        ),
        tests("OAuthTests", ["OAuth", "Captures", "JOSE", "JSON", "LibCrypto"]),
        tests("FlowsTests", ["Flows", "OAuth", "Captures", "JOSE", "JSON", "LibCrypto"]),
        tests("DiagnosisTests", diagnosisTests, exclude: ["Rules"]),
        tests(
            "AuthorizationRulesTests",
            diagnosisTests,
            path: "Tests/DiagnosisTests/Rules",
            exclude: tokenRules + sessionRules
        ),
        tests(
            "TokenRulesTests",
            diagnosisTests + ["LibCrypto"],
            path: "Tests/DiagnosisTests/Rules",
            exclude: authorizationRules + sessionRules
        ),
        tests(
            "SessionRulesTests",
            diagnosisTests,
            path: "Tests/DiagnosisTests/Rules",
            exclude: authorizationRules + tokenRules
        ),
        tests(
            "SharingTests",
            ["Sharing", "Reports", "Diagnosis", "Flows", "OAuth", "Captures", "JOSE", "JSON", "LibCrypto"]
        ),
        tests(
            "ReplayTests",
            ["Replay", "Provider", "Diagnosis", "Flows", "OAuth", "Captures", "JOSE", "JSON", "LibCrypto"]
        ),
        tests(
            "ProviderTests",
            ["Provider", "Diagnosis", "Flows", "OAuth", "Captures", "JOSE", "JSON", "LibCrypto"]
        ),
        tests(
            "ReportsTests",
            ["Reports", "Replay", "Provider", "Diagnosis", "Flows", "JOSE", "Captures", "JSON"]
        ),
        tests(
            "authreelTests",
            [
                "authreel", argumentParser, "Provider", "Sharing", "Flows", "Captures", "Proxy", "JOSE",
                "JSON", "LibCrypto",
            ]
        ),
        tests("HouseTests", ["Diagnosis", "Provider", "Flows", "Captures"]),
        tests(
            "EndToEndTests",
            [
                "authreel", "Proxy", "Provider", "Replay", "Sharing", "OAuth", "Captures", "JSON", "TLS",
                "Wire", "LibCrypto", argumentParser, nio("NIOCore"), nio("NIOPosix"),
            ],
            exclude: ["Components"]
        ),
    ]
)

let fuzzed: [Target.Dependency] = [
    "Proxy", "Packets", "TLS", "Wire", "Sharing", "Captures", "JOSE", "JSON", "LibCrypto", nio("NIOCore"),
]
if let runtime = Context.environment["AUTHREEL_FUZZER_RUNTIME"] {
    // Tests/FuzzTests/run builds the same functions into a program that libFuzzer drives, with its marks in our modules.
    let marks = ["-sanitize=fuzzer,address", "-enable-testing"]
    package.targets.removeAll { $0.type == .test || $0.name.hasSuffix("TestSupport") }
    for target in package.targets where target.type == .regular {
        target.swiftSettings = settings + [.unsafeFlags(marks)]
    }
    package.targets.append(
        .executableTarget(
            name: "Fuzz",
            dependencies: fuzzed,
            path: "Tests/FuzzTests",
            exclude: ["RegressionTests.swift", "README.md", "dictionaries", "run", "seeds"],
            swiftSettings: settings + [.unsafeFlags(marks + ["-parse-as-library"])],
            linkerSettings: [.unsafeFlags(["-sanitize=address", runtime, "-lstdc++", "-lm"])]
        )
    )
} else {
    package.targets.append(
        tests("FuzzTests", fuzzed, exclude: ["Fuzz.swift", "README.md", "dictionaries", "run", "seeds"])
    )
}

// Continuous integration builds once, waits for the tests and steps through nothing: what reads bytes is optimized there, as in a
// release, which takes half of the time of the tests that compute. Each module is compiled as a whole, and that of tests, of which
// every declaration is expanded, is read once: what writes its interface is what compiles it.
if Context.environment["AUTHREEL_BUILT_ONCE"] != nil {
    let readers = ["JSON", "JOSE", "Captures", "Wire", "Packets", "OAuth", "Sharing"]
    for target in package.targets {
        let flags =
            switch target.type {
            case .regular where readers.contains(target.name):
                ["-O", "-whole-module-optimization", "-num-threads", "2"]
            case .regular, .executable: ["-whole-module-optimization", "-num-threads", "2"]
            case .test: ["-whole-module-optimization", "-num-threads", "2", "-no-emit-module-separately-wmo"]
            default: [String]()
            }
        if !flags.isEmpty { target.swiftSettings = settings + [.unsafeFlags(flags)] }
    }
    // Of what is ready to be compiled the build takes the last of the alphabet first: this large module is ready last of all, and one
    // core would be the only one at work in the end.
    for target in package.targets where target.name == "EndToEndTests" { target.name = "zEndToEndTests" }
}
