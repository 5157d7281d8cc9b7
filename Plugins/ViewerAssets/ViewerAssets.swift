import Foundation
import PackagePlugin

/// Makes the files of `viewer/` a part of the program, so that it needs nothing beside it.
@main
struct ViewerAssets: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        let folder = context.package.directoryURL.appending(path: "viewer")
        let files =
            (FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)?
            .compactMap { $0 as? URL } ?? [])
            .filter { ["html", "css", "js"].contains($0.pathExtension) }.sorted { $0.path < $1.path }
        let output = context.pluginWorkDirectoryURL.appending(path: "ViewerAssets.swift")
        return [
            .buildCommand(
                displayName: "Viewer",
                executable: try context.tool(named: "ViewerAssetsTool").url,
                arguments: [folder.path, output.path] + files.map(\.path),
                inputFiles: files,
                outputFiles: [output]
            )
        ]
    }
}
