{-# LANGUAGE LambdaCase #-}
-- | Shapes.
module Shapes
  ( Shape (..)
  , area
  ) where

import Data.List (sortBy)
import qualified Data.Map as Map

-- | A shape.
data Shape
  = Circle Double
  | Square Double
  deriving (Show, Eq)

-- | Things with an area.
class HasArea a where
  areaOf :: a -> Double
  areaOf _ = 0

instance HasArea Shape where
  areaOf (Circle r) = pi * r * r
  areaOf (Square s) = s * s

-- | The area.
area :: Shape -> Double
area (Circle r) =
  pi * r * r
-- squares
area (Square s) =
  s * s

-- | The larger one.
larger :: Shape -> Shape -> Shape
larger first second
  | area first > area second = first
  | otherwise = second
  where
    unused = 1

limit :: Int
limit = 3

newtype Wrapper a = Wrapper
  { unwrap :: a
  }

main :: IO ()
main = do
  print limit
  print (area (Circle 1))
